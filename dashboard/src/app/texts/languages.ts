import { i18n, type Messages } from '@lingui/core'

export const languages = { en: 'English', de: 'Deutsch' } as const
export type Language = keyof typeof languages

const STORAGE_KEY = 'reelkeep.language'
const isLanguage = (text: string | null | undefined): text is Language =>
  text !== undefined && text !== null && Object.hasOwn(languages, text)

/** The chosen language, otherwise the first one of the browser that the dashboard has. */
export function preferredLanguage(): Language {
  const chosen = localStorage.getItem(STORAGE_KEY)
  if (isLanguage(chosen)) return chosen
  return navigator.languages.map((tag) => tag.split('-')[0]).find(isLanguage) ?? 'en'
}

type Catalog = () => Promise<{ readonly messages: Messages }>

/** Texts by part of the dashboard, so that a page does not load those of all others. */
const catalogs = {
  shared: { en: () => import('../../locales/shared/en.po'), de: () => import('../../locales/shared/de.po') },
  entrance: { en: () => import('../../locales/entrance/en.po'), de: () => import('../../locales/entrance/de.po') },
  'signed-in': { en: () => import('../../locales/signed-in/en.po'), de: () => import('../../locales/signed-in/de.po') },
  library: { en: () => import('../../locales/library/en.po'), de: () => import('../../locales/library/de.po') },
  uploads: { en: () => import('../../locales/uploads/en.po'), de: () => import('../../locales/uploads/de.po') },
  video: { en: () => import('../../locales/video/en.po'), de: () => import('../../locales/video/de.po') },
  studio: { en: () => import('../../locales/studio/en.po'), de: () => import('../../locales/studio/de.po') },
  settings: { en: () => import('../../locales/settings/en.po'), de: () => import('../../locales/settings/de.po') },
} satisfies Record<string, Record<Language, Catalog>>
type Part = keyof typeof catalogs

const usedParts = new Set<Part>(['shared'])
/** The active language, or the one that is being loaded. */
let current: Language = 'en'

export async function activateLanguage(language: Language): Promise<void> {
  current = language
  const loaded = await Promise.all([...usedParts].map((part) => catalogs[part][language]()))
  for (const { messages } of loaded) i18n.load(language, messages)
  i18n.activate(language)
  document.documentElement.lang = language
}

export async function chooseLanguage(language: Language): Promise<void> {
  localStorage.setItem(STORAGE_KEY, language)
  await activateLanguage(language)
}

/** Loads a module together with its texts. */
export async function withTexts<T>(part: Part, module: Promise<T>): Promise<T> {
  if (!usedParts.has(part)) {
    usedParts.add(part)
    const language = current
    const { messages } = await catalogs[part][language]()
    i18n.load(language, messages)
  }
  return module
}
