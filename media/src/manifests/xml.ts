/** A minimal XML writer: elements, attributes and text. */
type Attributes = Record<string, string | number | undefined>

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

/** Removes characters that XML does not allow: control characters and lone surrogates. */
const escaped = (text: string) =>
  text
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are removed.
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
    .replace(/[&<>"']/g, (letter) => entities[letter] ?? letter)
    // Parsers replace unescaped tabs and line breaks in attributes with spaces.
    .replace(/[\t\n\r]/g, (letter) => `&#${letter.charCodeAt(0)};`)

/** Lines of an element, with indented children. Attributes without a value are omitted. */
export function element(name: string, attributes: Attributes, ...children: readonly (readonly string[])[]): string[] {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([attribute, value]) => ` ${attribute}="${escaped(String(value))}"`)
    .join('')
  const inner = children.flat()
  if (inner.length === 0) return [`<${name}${written}/>`]
  return [`<${name}${written}>`, ...inner.map((line) => `  ${line}`), `</${name}>`]
}

export const textElement = (name: string, text: string) => [`<${name}>${escaped(text)}</${name}>`]
