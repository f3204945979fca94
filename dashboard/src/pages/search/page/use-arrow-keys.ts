import type { KeyboardEvent, RefObject } from 'react'

/** Moves the focus with the arrow keys: from the search field to the results, and between them. */
export function useArrowKeys(page: RefObject<HTMLElement | null>) {
  return (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined) return
    const stops = [...(page.current?.querySelectorAll<HTMLElement>('input[type=search], [data-moment]') ?? [])]
    const index = stops.indexOf(event.target as HTMLElement)
    const next = index < 0 ? undefined : stops[index + step]
    if (!next) return
    event.preventDefault()
    next.focus()
  }
}
