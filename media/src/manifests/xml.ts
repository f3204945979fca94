/** As much XML as a manifest needs: elements, attributes, and text in them. */
type Attributes = Record<string, string | number | undefined>

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

/** What XML cannot hold at all is left out: control characters, and halves of a character. */
const escaped = (text: string) =>
  text
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out.
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
    .replace(/[&<>"']/g, (letter) => entities[letter] ?? letter)
    // An attribute is otherwise read with spaces in their place.
    .replace(/[\t\n\r]/g, (letter) => `&#${letter.charCodeAt(0)};`)

/** Lines of an element; those of its children are set in by two. Attributes without a value are left out. */
export function element(
  name: string,
  attributes: Attributes,
  ...children: readonly (readonly string[])[]
): string[] {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([attribute, value]) => ` ${attribute}="${escaped(String(value))}"`)
    .join('')
  const inner = children.flat()
  if (inner.length === 0) return [`<${name}${written}/>`]
  return [`<${name}${written}>`, ...inner.map((line) => `  ${line}`), `</${name}>`]
}

export const textElement = (name: string, text: string) => [`<${name}>${escaped(text)}</${name}>`]
