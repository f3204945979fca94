const STORAGE_KEY = 'reelkeep.theme'

const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const isTheme = (text: string | null): text is Theme => themes.some((theme) => theme === text)

export function chosenTheme(): Theme {
  const text = localStorage.getItem(STORAGE_KEY)
  return isTheme(text) ? text : 'system'
}

/** Sets the colors of the page. `system` follows the settings of the device. */
export function applyTheme(theme: Theme = chosenTheme()): void {
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(STORAGE_KEY, theme)
  applyTheme(theme)
}
