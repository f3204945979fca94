import { createContext, type ReactNode, use, useCallback, useEffect, useEffectEvent, useMemo, useState } from 'react'
import { keyOf } from './keys.ts'

export type Shortcut = {
  /** One key such as `/` or `n`, two keys in a row such as `g l`, or with Ctrl (Cmd on Apple devices): `mod+k`. */
  readonly keys: string
  readonly label: string
  /** Heading in the overview. */
  readonly group: string
  readonly run: () => void
}

type Registry = {
  readonly shortcuts: readonly Shortcut[]
  readonly add: (shortcuts: readonly Shortcut[]) => () => void
}

const ShortcutContext = createContext<Registry>({ shortcuts: [], add: () => () => {} })

/** All shortcuts of the page, for the overview and the command palette. */
export const useShortcutList = () => use(ShortcutContext).shortcuts

/** Adds shortcuts while the component is shown. Keep the list with `useMemo`. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const { add } = use(ShortcutContext)
  useEffect(() => add(shortcuts), [add, shortcuts])
}

/** Time in which the second key of `g l` must follow. */
const SEQUENCE_MILLISECONDS = 1500

/** Shortcuts without Ctrl do nothing while the user types, or while a dialog or menu is open. */
const isBusy = ({ target }: KeyboardEvent) =>
  (target instanceof Element && target.closest('input, textarea, select, [contenteditable], [role=menu]') !== null) ||
  document.querySelector('[role=dialog], [role=alertdialog]') !== null

/** The key, if a shortcut can be meant. */
function usableKey(event: KeyboardEvent): string | undefined {
  const key = event.defaultPrevented || event.repeat ? undefined : keyOf(event)
  return key?.startsWith('mod+') || !isBusy(event) ? key : undefined
}

export function Shortcuts({ children }: { readonly children: ReactNode }) {
  const [lists, setLists] = useState<readonly (readonly Shortcut[])[]>([])
  const shortcuts = useMemo(() => lists.flat(), [lists])
  const add = useCallback((added: readonly Shortcut[]) => {
    setLists((current) => [...current, added])
    return () => setLists((current) => current.filter((list) => list !== added))
  }, [])
  const find = useEffectEvent((keys: string) => shortcuts.findLast((shortcut) => shortcut.keys === keys))
  useEffect(() => {
    let first: { readonly key: string; readonly at: number } | undefined
    const onKeyDown = (event: KeyboardEvent) => {
      const key = usableKey(event)
      if (key === undefined) return
      const isSequence = first && event.timeStamp - first.at < SEQUENCE_MILLISECONDS
      const found = (isSequence && find(`${first?.key} ${key}`)) || find(key)
      first = found ? undefined : { key, at: event.timeStamp }
      if (!found) return
      event.preventDefault()
      found.run()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [])
  const registry = useMemo(() => ({ shortcuts, add }), [shortcuts, add])
  return <ShortcutContext value={registry}>{children}</ShortcutContext>
}
