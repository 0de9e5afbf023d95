/** How the manual's pages look, in the colours of every other page, light and dark; the whole of it stands in the page. */
export const style = `
:root {
  color-scheme: light dark;
  --paper: light-dark(#f5f5f1, #101214);
  --card: light-dark(#fff, #191c20);
  --ink: light-dark(#16181b, #eef0f2);
  --soft: light-dark(#565c64, #a6adb6);
  --line: light-dark(#dcdcd6, #2d3238);
  --wash: light-dark(#f1f1ec, #22262b);
  --good: light-dark(#0b6b4a, #3ccf97);
  font: 100%/1.55 ui-sans-serif, system-ui, "Segoe UI", Roboto, sans-serif;
  -webkit-text-size-adjust: 100%;
}
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink) }
main { max-width: 56rem; margin: 0 auto; padding: 2rem 1rem 6rem }
header { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: center; justify-content: space-between; max-width: 56rem; margin: 0 auto; padding: 1rem 1rem 0 }
header nav a { margin-right: 1rem }
header label { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
input, button { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--soft); border-radius: 8px; padding: .3rem .6rem; max-width: 100% }
article h1 { margin-top: 0 }
article h2, article h3, article h4 { font-size: 1.2rem; text-transform: none; color: var(--ink); margin: 2.5rem 0 .5rem; overflow-wrap: anywhere }
article h3, article h4 { font-size: 1.05rem; margin-top: 1.75rem }
article li { margin: .3rem 0; overflow-wrap: anywhere }
h1 { font-size: clamp(1.75rem, 6vw, 2.25rem); line-height: 1.15; letter-spacing: -.02em; margin: 0 0 .75rem }
h2 { font-size: 1rem; margin: 3rem 0 0; text-transform: capitalize; color: var(--soft) }
.name { font-size: 1.125rem; margin: 0 0 .25rem; overflow-wrap: anywhere; text-transform: none; color: var(--ink) }
.name a { color: inherit; text-decoration: none }
a { color: var(--good); text-underline-offset: .15em }
:focus-visible { outline: 3px solid var(--good); outline-offset: 2px; border-radius: 4px }
p { margin: .5rem 0; overflow-wrap: anywhere }
section { margin: 1rem 0; padding: 1.25rem 1.25rem 1rem; background: var(--card); border: 1px solid var(--line); border-radius: 16px; min-width: 0 }
nav ul { columns: 15rem; padding: 0; margin: 1.25rem 0 0; list-style: none }
nav li { break-inside: avoid; padding: .2rem 0 }
code, pre { font: .875em/1.5 ui-monospace, SFMono-Regular, Menlo, monospace }
code { background: var(--wash); padding: .1em .3em; border-radius: 4px; overflow-wrap: anywhere }
pre { background: var(--wash); border-radius: 12px; padding: .75rem 1rem; overflow-x: auto }
pre code { background: none; padding: 0; overflow-wrap: normal }
.scroll { overflow-x: auto; position: relative }
table { border-collapse: collapse; width: 100%; margin: .75rem 0; font-size: .93em }
th, td { text-align: left; vertical-align: top; padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line) }
tbody tr:last-child td { border-bottom: 0 }
th { color: var(--soft); font-weight: 500 }
.method { color: var(--good); font-weight: 600 }
.soft { color: var(--soft) }
:target { scroll-margin-top: 1rem; border-color: var(--good) }
`
