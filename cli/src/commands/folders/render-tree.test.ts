import { expect, it } from 'vitest'
import { plainStyle } from '../../terminal/style.ts'
import { renderTree } from './render-tree.ts'

/** Converts lines, indented by depth, to nodes. */
const nodes = (...lines: string[]) =>
  lines.map((line) => {
    const title = line.trim()
    const depth = line.length - title.length + 1
    return { title, uuid: title, parent: null, depth, has_more: title === 'c' }
  })

it('renderTree draws branches to the last child', () => {
  const rendered = renderTree(nodes('a', ' b', '  c', ' d', 'e', ' f', '  g', '   h'), plainStyle(new Date()))
  expect(rendered.replace(/ {2}\w( {2}\(more\))?$/gm, '$1')).toBe(
    [
      '├── a',
      '│   ├── b',
      '│   │   └── c  (more)',
      '│   └── d',
      '└── e',
      '    └── f',
      '        └── g',
      '            └── h',
    ].join('\n'),
  )
})
