/** Finds languages by their English names, which some transcribers return ("german"). */
import { cleanLanguage } from '../probe/facts/language-tag.ts'

const letters = 'abcdefghijklmnopqrstuvwxyz'

/** Language names of Whisper that are not in `Intl.DisplayNames`. */
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
    // Skips deprecated codes, which have the same name as their replacements.
    return name === undefined || canonical !== code ? [] : [[name, code] as const]
  })
  return new Map([...named, ...Object.entries(otherNames)])
}

let named: ReadonlyMap<string, string> | undefined

/** Returns the BCP 47 tag for a name or a code; "und" if unknown. */
export function languageOf(text: string | undefined): string {
  const normalized = (text ?? '').trim().toLowerCase()
  named ??= namedLanguages()
  const byName = named.get(normalized)
  if (byName !== undefined) return byName
  return /^[a-z]{2,3}([-_][a-z0-9]{2,8})*$/.test(normalized) ? (cleanLanguage(normalized) ?? 'und') : 'und'
}

/** Returns the language's own name ("Deutsch"), or the code if there is no name. */
export function languageTitle(language: string): string {
  if (language === 'und') return 'Subtitles'
  try {
    return new Intl.DisplayNames(language, { type: 'language' }).of(language) ?? language
  } catch {
    return language
  }
}
