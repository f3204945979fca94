/** Strict, namespace-aware XML parsing with saxes. Document types are rejected, so no entities can be declared. */
import { SaxesParser } from 'saxes'

export type XmlNode = {
  readonly space: string
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  readonly children: XmlNode[]
  text: string
}

/** Maximum number and depth of the nodes. A normal response has a few dozen nodes. */
const NODES_MAX = 2000
const DEPTH_MAX = 20

/** Undefined if the text is not well-formed or exceeds the limits. */
export function readXml(text: string): XmlNode | undefined {
  const top: XmlNode = emptyNode('', '')
  const open = [top]
  let [nodes, isInvalid] = [0, false]
  const parser = new SaxesParser({ xmlns: true, position: false })
  const reject = () => {
    isInvalid = true
  }
  parser.on('error', reject)
  parser.on('doctype', reject)
  parser.on('opentag', ({ uri, local, attributes }) => {
    if (++nodes > NODES_MAX || open.length > DEPTH_MAX) return reject()
    const named = Object.values(attributes).map(({ local, value }) => [local, value] as const)
    const node: XmlNode = { ...emptyNode(uri, local), attributes: new Map(named) }
    open.at(-1)?.children.push(node)
    open.push(node)
  })
  parser.on('text', (chunk) => {
    const node = open.at(-1)
    if (node) node.text += chunk
  })
  parser.on('closetag', () => {
    open.pop()
  })
  parser.write(text).close()
  return isInvalid ? undefined : top.children[0]
}

const emptyNode = (space: string, name: string): XmlNode => ({
  ...{ space, name, attributes: new Map(), children: [], text: '' },
})

export const childrenOf = (node: XmlNode | undefined, space: string, name: string): XmlNode[] =>
  node?.children.filter((child) => child.space === space && child.name === name) ?? []

/** Finds the first descendant with this path of names. */
export const findIn = (
  node: XmlNode | undefined,
  ...path: readonly (readonly [space: string, name: string])[]
): XmlNode | undefined => path.reduce<XmlNode | undefined>((at, [space, name]) => childrenOf(at, space, name)[0], node)
