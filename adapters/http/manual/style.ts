/** How the manual's pages look, light and dark; the whole of it stands in the page. */
export const style = `
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #5b6570; --line: #dfe3e8; --paper: #fff; --wash: #f5f7f9; --mark: #0b6e4f }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ec; --soft: #9aa5b1; --line: #2c333b; --paper: #14181c; --wash: #1c2127; --mark: #5fd3a8 }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, sans-serif }
main { max-width: 54rem; margin: 0 auto; padding: 2rem 1.25rem 6rem }
h1 { font-size: 1.9rem; margin: 0 0 .5rem }
h2 { font-size: 1.05rem; margin: 3rem 0 0; padding-bottom: .4rem; border-bottom: 1px solid var(--line); text-transform: capitalize; color: var(--soft) }
h3 { font-size: 1.1rem; margin: 2rem 0 .25rem; overflow-wrap: anywhere }
h3 a { color: inherit; text-decoration: none }
a { color: var(--mark) }
p { margin: .5rem 0 }
nav ul { columns: 15rem; padding: 0; margin: 1rem 0; list-style: none }
nav li { break-inside: avoid; padding: .1rem 0 }
code, pre { font: .875em/1.5 ui-monospace, SFMono-Regular, Menlo, monospace }
code { background: var(--wash); padding: .1em .3em; border-radius: 4px; overflow-wrap: anywhere }
pre { background: var(--wash); border: 1px solid var(--line); border-radius: 8px; padding: .75rem 1rem; overflow-x: auto }
pre code { background: none; padding: 0; overflow-wrap: normal }
.scroll { overflow-x: auto }
table { border-collapse: collapse; width: 100%; margin: .75rem 0; font-size: .93em }
th, td { text-align: left; vertical-align: top; padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line) }
th { color: var(--soft); font-weight: 500 }
.method { color: var(--mark); font-weight: 600 }
.soft { color: var(--soft) }
:target { scroll-margin-top: 1rem; outline: 2px solid var(--mark); outline-offset: 6px; border-radius: 4px }
`
