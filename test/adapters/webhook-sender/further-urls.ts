/** More ways to write a private address or a second host, and more ordinary URLs that must pass. */
import { allowed, denied, refusedAtConnect, type Vector } from "./hostile-urls.ts"

const publicAddress = ["93.184.216.34"]

export const furtherUrls: ReadonlyArray<Vector> = [
  ...denied("v4-encoding", "one address, many spellings", [
    "https://017700000001/",
    "https://4294967295/",
    "https://0x7f.0x0.0x0.0x1/",
    "https://127.0x1/",
    "https://127.0.0.1.1/",
    "https://1.2.3.4.5/",
    "https://8.8.8.08/",
    "https://08.8.8.8/",
    "https://8.8.2056/",
    "https://example.0x1/",
    "https://example.1/",
    "https://example.1a/"
  ]),
  ...denied("scheme", "one that only ends as ours does", [
    "xhttps://example.com/",
    "wss+https://example.com/"
  ]),
  ...denied("fragment", "never sent, and behind a path too", [
    "https://example.com/hooks#part",
    "https://example.com/?to=1#part"
  ]),
  ...denied("v4-special", "edges of the registry's blocks", [
    "https://9.255.255.255@10.0.0.0/",
    "https://100.64.0.0/",
    "https://100.127.255.255/",
    "https://172.31.255.255/",
    "https://198.18.0.0/",
    "https://224.0.0.1/",
    "https://100.100.100.200/latest/meta-data/"
  ]),
  ...denied("v6-special", "edges of global unicast", [
    "https://[::]/",
    "https://[1fff:ffff::1]/",
    "https://[4000::1]/",
    "https://[2001:1ff::1]/",
    "https://[2001:db8::1]/",
    "https://[fd00:ec2::254]/latest/meta-data/",
    "https://[fc00::1]/",
    "https://[2002::1]/"
  ]),
  ...denied("v6-syntax", "brackets and spellings", [
    "https://[]/",
    "https://[::ffff:a9fe:a9fe]/",
    "https://[2606:4700:4700:0:0:0:0:1111]/",
    "https://[2606:4700:4700::1111%eth0]/",
    "https://2606:4700:4700::1111/",
    "https://[2606:4700:4700::1111].example.com/"
  ]),
  ...denied("authority-confusion", "where the host ends", [
    "https://example.com:443@127.0.0.1/",
    "https://@example.com/",
    "https://example.com\\.evil.com/",
    "https://example.com,evil.com/",
    "https://example.com|evil.com/",
    "https:///example.com/",
    "https:example.com",
    "https://",
    "https:///",
    "https://example.com#",
    "https://exa%6dple.com/",
    "https://example.com%2eevil.com/",
    "https://a..example.com/",
    "https://a-.example.com/",
    "https://_hook.example.com/",
    " https://example.com/",
    "https ://example.com/",
    "https://example.com/\r\nHost: 127.0.0.1"
  ]),
  ...denied("unicode-host", "mapped, vanishing and look-alike characters", [
    "https://exam\u00adple.com/",
    "https://example\uff0ecom/",
    "https://example.com\uff0f@127.0.0.1/",
    "https://\uff11\uff12\uff17.0.0.1/",
    "https://ex\u0430mple.com/",
    "https://example.com/\u00e9",
    "https://example.com:\uff14\uff14\uff13/"
  ]),
  ...denied("case-scheme", "schemes that are almost https", [
    "https\u017f://example.com/",
    "httpss://example.com/",
    "http://example.com/",
    "blob:https://example.com/",
    "view-source:https://example.com/",
    "file:///etc/passwd",
    "data:text/plain,x"
  ]),
  ...denied("special-name", "names that resolve inside", [
    "https://localhost.localdomain/",
    "https://printer.local/",
    "https://kubernetes.default.svc.cluster.local/",
    "https://1.0.0.127.in-addr.arpa/",
    "https://metadata.goog.internal/",
    "https://x.alt/",
    "https://db.private/",
    "https://wiki.intranet/",
    "https://router.home/"
  ]),
  ...denied("port", "edges of the ports", [
    "https://example.com:1/",
    "https://example.com:80/",
    "https://example.com:442/",
    "https://example.com:444/",
    "https://example.com:1023/",
    "https://example.com:10080/",
    "https://example.com:5060/",
    "https://example.com:99999/",
    "https://example.com:/",
    "https://example.com:+443/",
    "https://example.com:443.0/",
    "https://example.com:0x1bb/"
  ]),
  ...denied("oversize", "bounds", [
    `https://example.com/${"a".repeat(2029)}`,
    `https://${"a".repeat(64)}.example.com/`,
    `https://${"a.".repeat(126)}com/`
  ]),
  ...refusedAtConnect("resolves-private", "answers no public name gives", {
    "https://zero.example.com/": ["0.0.0.0"],
    "https://unspecified.example.com/": ["::"],
    "https://mapped.example.com/": ["::ffff:127.0.0.1"],
    "https://mapped-public.example.com/": ["::ffff:8.8.8.8"],
    "https://zone.example.com/": ["fe80::1%eth0"],
    "https://zoned-public.example.com/": ["2606:4700:4700::1111%eth0"],
    "https://decimal.example.com/": ["2130706433"],
    "https://short.example.com/": ["127.1"],
    "https://octal.example.com/": ["0177.0.0.1"],
    "https://padded.example.com/": ["8.8.8.8 "],
    "https://bracketed.example.com/": ["[2606:4700:4700::1111]"],
    "https://empty.example.com/": [""],
    "https://named.example.com/": ["localhost"],
    "https://six-to-four.example.com/": ["2002:7f00:1::"],
    "https://broadcast.example.com/": ["255.255.255.255"],
    "https://127.0.0.1.nip.example.com/": ["127.0.0.1"]
  }),
  ...refusedAtConnect("split-answer", "a bad answer anywhere among good ones", {
    "https://first.example.com/": ["127.0.0.1", "93.184.216.34"],
    "https://other-family.example.com/": ["93.184.216.34", "::1"],
    "https://last.example.com/": ["8.8.8.8", "8.8.4.4", "1.1.1.1", "1.0.0.1", "10.0.0.1"]
  }),
  ...allowed("legit", "must not be refused", {
    "HTTPS://example.com/": publicAddress,
    "Https://EXAMPLE.com/": publicAddress,
    "https://EXAMPLE.com/hook": publicAddress,
    "https://example.com:443/": publicAddress,
    "https://example.com:1024/": publicAddress,
    "https://example.com:65535/": publicAddress,
    "https://example.com?hook=1": publicAddress,
    "https://xn--bcher-kva.example/": publicAddress,
    "https://shop.xn--p1ai/": publicAddress,
    "https://shop.web3/": publicAddress,
    "https://a1-b2.c3.example.museum/": publicAddress,
    "https://hooks.example.com/a@b:c": publicAddress,
    "https://hooks.example.com/?to=127.0.0.1": publicAddress,
    "https://internal.example.com/": publicAddress,
    "https://[2A00:1450:4001:81C::200E]/": ["2a00:1450:4001:81c::200e"],
    [`https://example.com/${"a".repeat(2028)}`]: publicAddress,
    [`https://${"a".repeat(63)}.example.com/`]: publicAddress,
    [`https://${"a.".repeat(125)}com/`]: publicAddress
  })
]
