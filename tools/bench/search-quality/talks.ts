/** Reads the talks: texts that were written for this benchmark, with the searches that should find their sentences. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

export type Query = {
  readonly text: string
  /** Whether the query has words of the sentence, or only its meaning. */
  readonly kind: 'words' | 'paraphrase'
}

export type Talk = {
  readonly title: string
  readonly language: string
  /** A voice of espeak-ng. */
  readonly voice: string
  readonly sentences: readonly { readonly text: string; readonly queries: readonly Query[] }[]
}

const folder = join(import.meta.dirname, 'talks')

/**
 * A talk starts with `# TITLE` and settings such as `voice: en-gb`. Each line is a sentence; the lines `? WORDS` and
 * `~ PARAPHRASE` after it are searches for it.
 */
export async function readTalks(): Promise<Talk[]> {
  const files = (await readdir(folder)).sort()
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
  return texts.flatMap((text) => text.split(/^# /m).slice(1)).map(toTalk)
}

function toTalk(text: string): Talk {
  const [title = '', ...lines] = text.split('\n').filter((line) => line !== '')
  const settings = new Map<string, string>()
  const sentences: { text: string; queries: Query[] }[] = []
  for (const line of lines) {
    const setting = /^(language|voice): (.*)$/.exec(line)
    const query = /^([?~]) (.*)$/.exec(line)
    if (setting) settings.set(setting[1] ?? '', setting[2] ?? '')
    else if (query) {
      const kind = query[1] === '?' ? 'words' : 'paraphrase'
      sentences.at(-1)?.queries.push({ text: query[2] ?? '', kind })
    } else sentences.push({ text: line, queries: [] })
  }
  return { title, language: settings.get('language') ?? 'en', voice: settings.get('voice') ?? 'en-us', sentences }
}
