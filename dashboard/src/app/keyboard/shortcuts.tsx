import {
  createContext,
  type ReactNode,
  use,
  useCallback,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useMemo,
  useState,
} from 'react'
import { keyOf } from './keys.ts'

export type Shortcut = {
  /**
   * One key such as `/`, `n` or `shift+ArrowLeft`, two keys in a row such as `g l`, or with Ctrl (Cmd on Apple devices):
   * `mod+k`.
   */
  readonly keys: string
  /** Another key for the same, which the overview does not list. */
  readonly alias?: string
  readonly label: string
  /** Heading in the overview. */
  readonly group: string
  /** Whether it runs again and again while the key is held. */
  readonly repeats?: true
  readonly run: (isRepeated?: boolean) => void
}

type Registry = {
  readonly shortcuts: readonly Shortcut[]
  readonly add: (shortcuts: readonly Shortcut[]) => () => void
}

const ShortcutContext = createContext<Registry>({ shortcuts: [], add: () => () => {} })

/** All shortcuts of the page, for the overview and the command palette. */
export const useShortcutList = () => use(ShortcutContext).shortcuts

/** Adds shortcuts while the component is shown, from its first frame on. Keep the list with `useMemo`. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const { add } = use(ShortcutContext)
  useLayoutEffect(() => add(shortcuts), [add, shortcuts])
}

/** Time in which the second key of `g l` must follow. */
const SEQUENCE_MILLISECONDS = 1500

const isIn = ({ target }: KeyboardEvent, selector: string) =>
  target instanceof Element && target.closest(selector) !== null

/** Also in the player, which has a shadow root: there, the target of an event is the player. */
const isTyping = (event: KeyboardEvent) => {
  const [target] = event.composedPath()
  return target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null
}

/** Shortcuts without Ctrl do nothing while the user types, or while a dialog or menu is open. */
const isBusy = (event: KeyboardEvent) =>
  isTyping(event) || isIn(event, '[role=menu]') || document.querySelector('[role=dialog], [role=alertdialog]') !== null

/** Undo and redo keep their meaning in text fields. */
const isTextEdit = (key: string) => /^mod\+(shift\+)?[zy]$/.test(key)

const arrowControls = ['slider', 'tab', 'radio', 'row', 'option', 'listbox', 'treegrid'].map((role) => `[role=${role}]`)

/** Controls that have the focus use Space and the arrow keys themselves. */
function isOfControl(event: KeyboardEvent, key: string): boolean {
  if (key.endsWith('Space')) return isIn(event, 'button, a, summary, [role=tab], [role=radio], [role=option]')
  return key.includes('Arrow') && isIn(event, arrowControls.join())
}

/** The key, if a shortcut can be meant. */
function usableKey(event: KeyboardEvent): string | undefined {
  const key = event.defaultPrevented ? undefined : keyOf(event)
  if (key === undefined || isOfControl(event, key)) return undefined
  const worksAlways = key.startsWith('mod+') && !isTextEdit(key)
  return worksAlways || !isBusy(event) ? key : undefined
}

type Pressed = { readonly key: string; readonly at: number }

/** The key that was pressed just before, with which this one may be a sequence. */
const keyBefore = ({ timeStamp }: KeyboardEvent, previous: Pressed | undefined) =>
  previous && timeStamp - previous.at < SEQUENCE_MILLISECONDS ? previous.key : undefined

function runShortcut({ repeats, run }: Shortcut, event: KeyboardEvent): void {
  event.preventDefault()
  if (repeats || !event.repeat) run(event.repeat)
}

export function Shortcuts({ children }: { readonly children: ReactNode }) {
  const [lists, setLists] = useState<readonly (readonly Shortcut[])[]>([])
  const shortcuts = useMemo(() => lists.flat(), [lists])
  const add = useCallback((added: readonly Shortcut[]) => {
    setLists((current) => [...current, added])
    return () => setLists((current) => current.filter((list) => list !== added))
  }, [])
  const find = useEffectEvent((key: string, previous: string | undefined) => {
    const having = (keys: string) => shortcuts.findLast((one) => one.keys === keys || one.alias === keys)
    return (previous !== undefined && having(`${previous} ${key}`)) || having(key)
  })
  useEffect(() => {
    let previous: Pressed | undefined
    const onKeyDown = (event: KeyboardEvent) => {
      const key = usableKey(event)
      if (key === undefined) return
      const found = find(key, keyBefore(event, previous))
      if (!event.repeat) previous = found ? undefined : { key, at: event.timeStamp }
      if (found) runShortcut(found, event)
    }
    // Before the components: the folder tree does not pass keys on.
    document.addEventListener('keydown', onKeyDown, { capture: true })
    return () => document.removeEventListener('keydown', onKeyDown, { capture: true })
  }, [])
  const registry = useMemo(() => ({ shortcuts, add }), [shortcuts, add])
  return <ShortcutContext value={registry}>{children}</ShortcutContext>
}
