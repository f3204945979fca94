/** Converts the short Markdown of descriptions in the OpenAPI document to HTML. */

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** One paragraph: inline code and bold text. */
export const inlineHtml = (text: string) =>
  escaped(text)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')

export const paragraphs = (text: string) => text.trim().split(/\n\n+/)
