/** The part of a `KeyboardEvent` that names the key. */
type PressedKey = {
  readonly key: string
  readonly code: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
  readonly shiftKey: boolean
}

/** Keys without a character that shortcuts can have, by the name of the event. Both delete keys are one. */
const namedKeys: Readonly<Record<string, string>> = {
  ArrowLeft: 'ArrowLeft',
  ArrowRight: 'ArrowRight',
  ArrowUp: 'ArrowUp',
  ArrowDown: 'ArrowDown',
  Delete: 'Delete',
  Backspace: 'Delete',
  ' ': 'Space',
}

/** With Shift, these keys have other characters on each keyboard, so they are known by their place. */
const placedKeys: Readonly<Record<string, string>> = { Comma: ',', Period: '.' }

/**
 * The name of a pressed key in shortcuts, such as `g`, `?`, `shift+v`, `shift+ArrowLeft` or `mod+k`. Undefined if no
 * shortcut can have it.
 */
export function keyOf(event: PressedKey): string | undefined {
  if (event.altKey) return undefined
  const shift = event.shiftKey ? 'shift+' : ''
  const isModified = event.ctrlKey || event.metaKey
  const named = namedKeys[event.key]
  if (named !== undefined) return isModified ? undefined : `${shift}${named}`
  if (event.key.length !== 1) return undefined
  const shiftOfLetter = /[a-z]/i.test(event.key) ? shift : ''
  if (isModified) return `mod+${shiftOfLetter}${event.key.toLowerCase()}`
  if (shiftOfLetter !== '') return `${shift}${event.key.toLowerCase()}`
  const placed = event.shiftKey ? placedKeys[event.code] : undefined
  return placed === undefined ? event.key : `${shift}${placed}`
}

const isApple = () => /Mac|iP(hone|ad)/.test(navigator.userAgent)

const arrows: Readonly<Record<string, string>> = { ArrowLeft: '←', ArrowRight: '→', ArrowUp: '↑', ArrowDown: '↓' }

/** The keys as shown to people: `Ctrl K`, `G then L`. `names` are those of keys without a character. */
export const keyNames = (keys: string, names: Readonly<Record<string, string>> = {}): readonly string[] =>
  keys.split(' ').flatMap((key) => {
    const parts = key.split(/(?<=mod|shift)\+/)
    return parts.map((part) => {
      if (part === 'mod') return isApple() ? '⌘' : 'Ctrl'
      return names[part] ?? arrows[part] ?? part.toUpperCase()
    })
  })
