/** The part of a `KeyboardEvent` that names the key. */
type PressedKey = {
  readonly key: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
}

/** The name of a pressed key in shortcuts, such as `g`, `?` or `mod+k`. Undefined if no shortcut can have it. */
export function keyOf(event: PressedKey): string | undefined {
  if (event.altKey || event.key.length !== 1) return undefined
  const isModified = event.ctrlKey || event.metaKey
  return isModified ? `mod+${event.key.toLowerCase()}` : event.key
}

const isApple = () => /Mac|iP(hone|ad)/.test(navigator.userAgent)

/** The keys as shown to people: `Ctrl K`, `G then L`. */
export const keyNames = (keys: string): readonly string[] =>
  keys.split(' ').flatMap((key) => {
    if (!key.startsWith('mod+')) return [key.toUpperCase()]
    return [isApple() ? '⌘' : 'Ctrl', key.slice('mod+'.length).toUpperCase()]
  })
