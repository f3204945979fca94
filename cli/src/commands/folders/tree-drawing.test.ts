import { expect, it } from 'vitest'
import { plainLook } from '../../terminal/look.ts'
import { drawTree } from './tree-drawing.ts'

/** Of lines that are indented by their depth. */
const nodes = (...lines: string[]) =>
  lines.map((line) => {
    const title = line.trim()
    const depth = line.length - title.length + 1
    return { title, uuid: title, parent: null, depth, has_more: title === 'c' }
  })

it('draws branches to where they end', () => {
  const drawn = drawTree(
    nodes('a', ' b', '  c', ' d', 'e', ' f', '  g', '   h'),
    plainLook(new Date()),
  )
  expect(drawn.replace(/ {2}\w( {2}…more in it)?$/gm, '$1')).toBe(
    [
      '├── a',
      '│   ├── b',
      '│   │   └── c  …more in it',
      '│   └── d',
      '└── e',
      '    └── f',
      '        └── g',
      '            └── h',
    ].join('\n'),
  )
})
