import { type RefObject, useEffect } from 'react'

/** Scrolls a list, but not the page, to the row that is `aria-current`, when another one is selected. */
export function useVisibleRow(list: RefObject<HTMLElement | null>, selected: string | undefined): void {
  useEffect(() => {
    const row = selected === undefined ? undefined : list.current?.querySelector('[aria-current]')
    const box = list.current
    if (!row || !box || box.scrollHeight <= box.clientHeight) return
    const [inner, outer] = [row.getBoundingClientRect(), box.getBoundingClientRect()]
    if (inner.top < outer.top) box.scrollTop -= outer.top - inner.top
    if (inner.bottom > outer.bottom) box.scrollTop += inner.bottom - outer.bottom
  }, [list, selected])
}
