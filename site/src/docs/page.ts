/** Converts Markdown that is written for a clone of the repository to Markdown for the site. */
import { dirname, join } from 'node:path/posix'

type UrlOf = (path: string) => string | undefined

type Page = { readonly title: string; readonly description: string; readonly body: string }

const DESCRIPTION_LENGTH_MAX = 160

export function toPage(path: string, markdown: string, urlOf: UrlOf): Page {
  const text = path === 'README.md' ? quickstartOf(markdown) : markdown
  const [, title] = /^# (.+)$/m.exec(text) ?? []
  if (title === undefined) throw new Error(`${path} has no heading`)
  const body = withLinks(path, text.replace(/^# .+\n/m, ''), urlOf)
  return { title, description: descriptionOf(body), body }
}

/** The README has the quickstart; its other parts are for visitors of the repository. */
function quickstartOf(readme: string): string {
  const [, text] = /^## Start\n(.*?)^## /ms.exec(readme) ?? []
  if (text === undefined) throw new Error('README.md has no quickstart')
  return `# Quickstart\n${text}`
}

/** The beginning of the first paragraph, as plain text. */
function descriptionOf(body: string): string {
  const paragraphs = body
    .replace(/<!--.*?-->/gs, '')
    .trim()
    .split('\n\n')
  const paragraph = paragraphs.find((text) => /^[A-Z`]/.test(text)) ?? ''
  const plain = plainText(paragraph).replace(/\s+/g, ' ')
  if (plain.length <= DESCRIPTION_LENGTH_MAX) return plain
  return `${plain.slice(0, plain.lastIndexOf(' ', DESCRIPTION_LENGTH_MAX))} …`
}

const plainText = (markdown: string) => markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '')

/** Code blocks and inline code are kept as they are. */
const codeOrLink =
  /(^( *)```[^\n]*\n.*?^\2```$)|(`[^`\n]+`(?!\]))|(!?)\[([^\]]*)\]\(([^)\s]+)\)|(<img src=")([^"]+)"/gms

function withLinks(path: string, markdown: string, urlOf: UrlOf): string {
  return markdown.replace(codeOrLink, (whole, ...parts: (string | undefined)[]) => {
    const [, , , exclamation, text, target, image, source] = parts
    if (source !== undefined) return `${image}${fileUrl(path, source)}"`
    if (target === undefined || /^(https?:|#)/.test(target)) return whole
    if (exclamation) return `![${text}](${fileUrl(path, target)})`
    const [file = '', fragment] = target.split('#')
    const url = urlOf(join(dirname(path), file))
    // A file that is not published, such as a source file: the text stays, the link does not.
    if (url === undefined) return text ?? ''
    // A link with the name of the file as its text.
    const shown = text === file ? file.replace(/\.md$/, '') : text
    return `[${shown}](${url}${fragment === undefined ? '' : `#${fragment}`})`
  })
}

/** Images are copied to the site with their path below docs/. */
const fileUrl = (path: string, file: string) => `/${join(dirname(path), file)}`
