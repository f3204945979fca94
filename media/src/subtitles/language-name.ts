/** Languages by their English names, as some recognisers tell them ("german"). */
import { cleanLanguage } from '../probe/language-tag.ts'

const letters = 'abcdefghijklmnopqrstuvwxyz'

/** Names of their own that Whisper has for some. */
const otherNames: Readonly<Record<string, string>> = {
  castilian: 'es',
  flemish: 'nl',
  mandarin: 'zh',
}

function namedLanguages(): ReadonlyMap<string, string> {
  const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })
  const codes = [...letters].flatMap((first) => [...letters].map((second) => first + second))
  const named = codes.flatMap((code) => {
    const [canonical] = Intl.getCanonicalLocales(code)
    const name = names.of(code)?.toLowerCase()
    // Old codes have the same name as new ones.
    return name === undefined || canonical !== code ? [] : [[name, code] as const]
  })
  return new Map([...named, ...Object.entries(otherNames)])
}

let named: ReadonlyMap<string, string> | undefined

/** BCP 47 of a name or a code; "und" for what is neither. */
export function languageOf(text: string | undefined): string {
  const said = (text ?? '').trim().toLowerCase()
  named ??= namedLanguages()
  const byName = named.get(said)
  if (byName !== undefined) return byName
  return /^[a-z]{2,3}([-_][a-z0-9]{2,8})*$/.test(said) ? (cleanLanguage(said) ?? 'und') : 'und'
}

/** In its own words: "Deutsch"; the code where there is no name. */
export function languageTitle(language: string): string {
  if (language === 'und') return 'Subtitles'
  try {
    return new Intl.DisplayNames(language, { type: 'language' }).of(language) ?? language
  } catch {
    return language
  }
}
