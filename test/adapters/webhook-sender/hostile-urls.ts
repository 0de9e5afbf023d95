/**
 * URLs an attacker would register, and ordinary ones that must pass, each with the verdict of public
 * mode. A `connect-deny` URL reads like any other; only what its name resolves to gives it away.
 */

export type Verdict = "allow" | "deny" | "connect-deny"

export interface Vector {
  readonly url: string
  readonly verdict: Verdict
  /** What the name is made to resolve to. */
  readonly resolves?: ReadonlyArray<string>
  readonly family: string
  /** Where the trick is described. */
  readonly note: string
}

/** URLs refused by how they are written. */
export const denied = (
  family: string,
  note: string,
  urls: ReadonlyArray<string>
): ReadonlyArray<Vector> => urls.map((url) => ({ url, verdict: "deny", family, note }))

const resolving =
  (verdict: Verdict) =>
  (
    family: string,
    note: string,
    addressesByUrl: Readonly<Record<string, ReadonlyArray<string>>>
  ): ReadonlyArray<Vector> =>
    Object.entries(addressesByUrl).map(([url, resolves]) => ({
      url,
      verdict,
      resolves,
      family,
      note
    }))

/** URLs refused by what their names resolve to. */
export const refusedAtConnect = resolving("connect-deny")

export const allowed = resolving("allow")

export const knownUrls: ReadonlyArray<Vector> = [
  ...denied("v4-special", "IANA IPv4 special-purpose registry", [
    "https://0.0.0.0/hook",
    "https://10.0.0.1/hook",
    "https://10.255.255.255/hook",
    "https://100.100.0.0/hook",
    "https://127.0.0.1/hook",
    "https://127.254.254.254/hook",
    "https://169.254.0.1/hook",
    "https://169.254.255.254/hook",
    "https://172.16.10.65/hook",
    "https://192.0.0.1/hook",
    "https://192.0.0.170/hook",
    "https://192.0.2.1/hook",
    "https://192.52.193.1/hook",
    "https://192.168.0.1/hook",
    "https://192.175.48.6/hook",
    "https://198.19.255.255/hook",
    "https://203.0.113.6/hook",
    "https://233.252.0.16/hook",
    "https://240.0.0.1/hook",
    "https://255.255.255.255/hook"
  ]),
  ...denied("metadata", "metadata addresses in the clouds' own manuals", [
    "https://169.254.170.2/v2/credentials",
    "https://192.0.0.192/opc/v1/instance/",
    "https://metadata.google.internal/computeMetadata/v1/",
    "https://[fd20:ce::254]/",
    "https://169.254.169.123/"
  ]),
  ...denied("v4-encoding", "OWASP SSRF prevention; PayloadsAllTheThings, SSRF", [
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0177.0.0.1/",
    "https://127.1/",
    "https://0/",
    "https://00/",
    "https://3232235777/",
    "https://0xa9fea9fe/",
    "https://0251.0376.0251.0376/",
    "https://169.16689662/",
    "https://0300.0250.0.1/",
    "https://10.1/",
    "https://0000012.0.0.1/",
    "https://0x100000000/",
    "https://256.256.256.256/",
    "https://1.2.3.08/",
    "https://0b1111111.0.0.1/",
    "https://127.00000.00000.00001/",
    "https://0x7f.0.1/",
    "https://1.1/"
  ]),
  ...denied("v6-special", "IANA IPv6 special-purpose registry; RFC 4291", [
    "https://[::1]/hook",
    "https://[0000:0000:0000:0000:0000:0000:0000:0001]/hook",
    "https://[fe80::dead:beef]/hook",
    "https://[fec0::1]/hook",
    "https://[fd00::1]/hook",
    "https://[fd7a:115c:a1e0::1]/hook",
    "https://[ff05::1:3]/hook",
    "https://[100::1]/hook",
    "https://[2001::1]/hook",
    "https://[2001:3::1]/hook",
    "https://[2001:10::1]/hook",
    "https://[2001:30::1]/hook",
    "https://[3fff::dead:beef]/hook",
    "https://[2620:4f:8000::1]/hook",
    "https://[8000::1]/hook",
    "https://[200::1]/hook"
  ]),
  ...denied("v6-embeds-v4", "addresses that carry an IPv4 one: RFC 4291, 6052, 3056, 4380, 5214", [
    "https://[::ffff:127.0.0.1]/hook",
    "https://[::ffff:0:127.0.0.1]/hook",
    "https://[::ffff:169.254.169.254]/hook",
    "https://[::ffff:10.0.0.1]/hook",
    "https://[::ffff:8.8.8.8]/hook",
    "https://[::7f00:1]/hook",
    "https://[::a9fe:a9fe]/hook",
    "https://[64:ff9b::127.0.0.1]/hook",
    "https://[64:ff9b::a9fe:a9fe]/hook",
    "https://[64:ff9b::808:808]/hook",
    "https://[64:ff9b:1:fffe::a9fe:a9fe]/hook",
    "https://[2002:7f00:0001::1]/hook",
    "https://[2002:c0a8:101::]/hook",
    "https://[2001:0:7f00:1::]/hook",
    "https://[fe80::5efe:7f00:1]/hook"
  ]),
  ...denied("v6-syntax", "WHATWG URL, host parser", [
    "https://[fe80::1%25eth0]/",
    "https://[::1%25lo]/",
    "https://[::1",
    "https://[::1]:443@8.8.8.8/",
    "https://[::ffff:127.1]/",
    "https://[v1.fe80::a]/",
    "https://[2606:4700:4700::0.0.17.17]/",
    "https://[::1]extra/"
  ]),
  ...denied("authority-confusion", "Orange Tsai, A New Era of SSRF (2017)", [
    "https://example.com@127.0.0.1/",
    "https://user:pass@example.com/",
    "https://:@example.com/",
    "https://example.com%40127.0.0.1/",
    "https://127.0.0.1\\@example.com/",
    "https://127.0.0.1#@example.com/",
    "https://example.com:80:443/",
    "https:////example.com/",
    "https:/127.0.0.1/",
    "//127.0.0.1/",
    "https://1.1.1.1 &@2.2.2.2# @3.3.3.3/",
    "https://example.com&@127.0.0.1/",
    "https://example.com;127.0.0.1/",
    "https://example.com /",
    "https://?x",
    "https://.",
    "https://.example.com/",
    "https://-example.com/",
    "https://*.example.com/"
  ]),
  ...denied("control-char", "WHATWG URL: dropped tabs and newlines, percent-decoding", [
    "https://example.com/ ",
    "ht\ttps://127.0.0.1/",
    "https://exa\nmple.com/",
    "https://example.com\u0000.evil.com/",
    "https://example.com/a b",
    "https://127.0.0.1%09/",
    "https://%31%32%37%2e%30%2e%30%2e%31/",
    "https://l%6fcalhost/",
    "https://example.com%2f127.0.0.1/"
  ]),
  ...denied("unicode-host", "WHATWG URL and UTS 46: characters that map to ASCII, or vanish", [
    "https://\u2460\u2465\u2468\u3002\u2461\u2464\u2463\u3002\u2460\u2465\u2468\u3002\u2461\u2464\u2463/",
    "https://127.0.0.1/",
    "https://\u246f\u2468\u3002\u2461\u2464\u2463\u3002\u246f\u2468\uff61\u2461\u2464\u2463/",
    "https://\u24db\u24de\u24d2\u24d0\u24db\u24d7\u24de\u24e2\u24e3/",
    "https://\u029focalhost/",
    "https://\u24d4\u24e7\u24d0\u24dc\u24df\u24db\u24d4.com/",
    "https://\u200b127.0.0.1/",
    "https://\u202emoc.elpmaxe/",
    "https://example.com\u2044@127.0.0.1/",
    "https://xn--/",
    "https://\ud835\udfcf\ud835\udfd0\ud835\udfd5.\ud835\udfce.\ud835\udfce.\ud835\udfcf/",
    "https://127.0.0.1 /"
  ]),
  ...denied("case-scheme", "OWASP SSRF prevention: other schemes", [
    "HTTP://example.com/",
    "ftp://example.com/",
    "gopher://127.0.0.1:6379/_SLAVEOF",
    "ldap://127.0.0.1/",
    "jar:https://example.com!/",
    "javascript:alert(1)",
    "ws://example.com/",
    "unix:/var/run/docker.sock",
    "netdoc:///etc/passwd",
    "https+insecure://example.com/",
    "",
    "null",
    "ssh://127.0.0.1"
  ]),
  ...denied("special-name", "RFC 6761, 7686, 8375, 9476; ICANN .internal", [
    "https://LOCALHOST/",
    "https://foo.localhost/",
    "https://ip6-localhost/",
    "https://printer.lan/",
    "https://vault.corp/",
    "https://x.home.arpa/",
    "https://intranet/",
    "https://metadata/",
    "https://x.onion/",
    "https://host.docker.internal/",
    "https://redis/",
    "https://instance-data.ec2.internal/"
  ]),
  ...denied("trailing-dot", "WHATWG URL: a dot at the end of a host", [
    "https://127.0.0.1./",
    "https://0x7f.1./",
    "https://example.com../"
  ]),
  ...denied("port", "WHATWG Fetch, bad ports", [
    "https://example.com:0/",
    "https://example.com:25/",
    "https://example.com:65536/",
    "https://example.com:-1/",
    "https://example.com:6667/",
    "https://example.com:443x/",
    "https://example.com:0443/",
    "https://example.com:4 43/",
    "https://example.com:2049/"
  ]),
  ...denied("oversize", "bounds of this policy and of DNS", [
    `https://example.com/${"a".repeat(2040)}`,
    `https://${"a.".repeat(130)}com/`
  ]),
  ...denied("local-mode-confusion", "the sandbox's exception, asked for in production", [
    "http://127.0.0.1/",
    "http://localhost:8080/",
    "http://127.1:8080/",
    "http://0.0.0.0:8080/",
    "http://127.0.0.1@evil.com/",
    "http://0x7f.0.0.1/",
    "http://[::ffff:127.0.0.1]/"
  ]),
  ...refusedAtConnect("resolves-private", "names in public DNS that point inside", {
    "https://169-254-169-254.sslip.io/": ["169.254.169.254"],
    "https://lvh.me/hook": ["127.0.0.1"],
    "https://a.internal-lb.example.com/": ["10.0.12.7"],
    "https://ula.example.com/": ["fd00:ec2::254"],
    "https://nat64.example.com/": ["64:ff9b::a9fe:a9fe"],
    "https://teredo.example.com/": ["2001:0:4136:e378:8000:63bf:3fff:fdd2"],
    "https://cgn.example.com/": ["100.64.0.9"],
    "https://mcast.example.com/": ["239.1.1.1"],
    "https://azure.example.com/": ["168.63.129.16"],
    "https://junk.example.com/": ["not-an-ip"]
  }),
  ...refusedAtConnect("split-answer", "DNS rebinding: one good answer among others", {
    "https://split1.example.com/": ["93.184.216.34", "127.0.0.1"],
    "https://split3.example.com/": ["8.8.8.8", "169.254.169.254", "1.1.1.1"]
  }),
  ...allowed("legit", "must not be refused", {
    "https://example.com/hook": ["93.184.216.34"],
    "https://example.com:8443/hook": ["93.184.216.34"],
    "https://api.example.co.uk/a/b/c": ["93.184.216.34"],
    "https://a-b.example.com/": ["93.184.216.34"],
    "https://10.example.com/": ["93.184.216.34"],
    "https://localhost.example.com/": ["93.184.216.34"],
    "https://example.com/redirect?u=http://127.0.0.1/": ["93.184.216.34"],
    "https://8.8.8.8/hook": ["8.8.8.8"],
    "https://172.32.0.1/": ["172.32.0.1"],
    "https://169.253.1.1/": ["169.253.1.1"],
    "https://[2a00:1450:4001:81c::200e]:8443/": ["2a00:1450:4001:81c::200e"],
    "https://dual.example.com/": ["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946"],
    "https://example.com": ["93.184.216.34"],
    "https://example.com/%2e%2e/%2e%2e/etc": ["93.184.216.34"]
  })
]
