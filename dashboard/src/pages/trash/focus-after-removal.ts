import { useEffect, useRef } from 'react'
import type { TrashEntry } from './trash-entries.ts'

/**
 * When the row whose button was used is gone, gives the focus to the row in its place, or to the title of the page if
 * there is none. Otherwise the focus would return to the beginning of the page.
 */
export function useFocusAfterRemoval(entries: readonly TrashEntry[]) {
  const list = useRef<HTMLDivElement>(null)
  const used = useRef<{ readonly id: string; readonly index: number }>(undefined)
  useEffect(() => {
    if (!used.current || entries.some(({ id }) => id === used.current?.id)) return
    const rows = [...(list.current?.querySelectorAll('li') ?? [])]
    const row = rows[used.current.index] ?? rows.at(-1)
    used.current = undefined
    if (document.activeElement !== document.body) return
    const target = row?.querySelector('button') ?? document.querySelector<HTMLElement>('main h1')
    target?.focus()
  }, [entries])
  const mark = ({ id }: TrashEntry, index: number) => {
    used.current = { id, index }
  }
  return { list, mark }
}
