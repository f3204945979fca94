import { type ReactNode, useEffect, useRef } from 'react'

/** The heading of a page. It gets the focus when the page opens, so that screen readers announce the new page. */
export function PageTitle({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  return (
    <>
      <title>{`${title} · Reelkeep`}</title>
      <h1 ref={heading} tabIndex={-1}>
        {children ?? title}
      </h1>
    </>
  )
}
