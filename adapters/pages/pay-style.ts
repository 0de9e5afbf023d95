/** The payment page's own style sheet: no font, no image, no request to anywhere. */

export const payStyle = `
:root{color-scheme:light dark;--paper:light-dark(#f5f5f0,#101113);--card:light-dark(#fff,#191c20);--line:light-dark(#ddd,#2c3036);--ink:light-dark(#16181b,#f1f2f3);--soft:light-dark(#565c64,#a6adb6);--wait:light-dark(#8a5208,#eeb04e);--good:light-dark(#0b6b4a,#3ccf97);--bad:light-dark(#a3261d,#ff8d82)}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.45 system-ui,sans-serif;min-height:100vh;display:grid;place-items:center;padding:16px}
main{width:100%;max-width:420px;background:var(--card);border:1px solid var(--line);border-radius:20px;padding:28px 24px}
p{margin:0}
.soft{color:var(--soft);font-size:.875rem}
h1{margin:2px 0 4px;font-size:2.5rem;line-height:1.1;letter-spacing:-.02em;overflow-wrap:anywhere}
h1 span{font-size:1rem;font-weight:400;color:var(--soft);letter-spacing:0}
.what{overflow-wrap:anywhere;white-space:pre-line}
ol{list-style:none;display:grid;grid-template-columns:repeat(3,1fr);gap:8px;margin:20px 0;padding:0;font-size:.875rem}
li{border-top:3px solid var(--line);padding-top:6px;color:var(--soft)}
li.done{border-color:var(--good);color:var(--ink)}
li.now{border-color:var(--wait);color:var(--ink)}
h2{font-size:1.05rem;margin:0 0 16px}
h2::before{content:"";display:inline-block;width:.6em;height:.6em;border-radius:50%;margin-right:.5em;background:var(--wait)}
h2.paid::before{background:var(--good)}
h2.expired::before,h2.cancelled::before{background:var(--bad)}
.qr{display:block;width:min(100%,260px);margin:0 auto 20px;border:1px solid var(--line);border-radius:14px}
dl{margin:0;display:grid;gap:12px}
dt{color:var(--soft);font-size:.875rem}
dd{margin:0;overflow-wrap:anywhere}
code{font:.875rem/1.5 ui-monospace,monospace;overflow-wrap:anywhere}
a{color:var(--good)}
footer{margin-top:20px;display:grid;gap:8px}
`.trim()
