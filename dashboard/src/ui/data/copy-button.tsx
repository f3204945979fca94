import { useLingui } from '@lingui/react/macro'
import { useEffect, useState } from 'react'
import { Button } from '../button.tsx'
import { icons } from '../icons.tsx'

const SHOWN_MILLISECONDS = 2500

type Props = {
  readonly text: string
  /** Name for screen readers, if several buttons copy something. */
  readonly label?: string
  readonly look?: 'primary' | 'quiet'
}

/** Copies a text and confirms it for a moment. */
export function CopyButton({ text, label, look = 'quiet' }: Props) {
  const { t } = useLingui()
  const [isCopied, setIsCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setIsCopied(false), SHOWN_MILLISECONDS)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = () => navigator.clipboard.writeText(text).then(() => setIsCopied(true), selectNothing)
  return (
    <>
      <Button
        size="small"
        look={look}
        icon={isCopied ? icons.check : icons.copy}
        aria-label={label}
        onClick={() => void copy()}
      >
        {isCopied ? t`Copied` : t`Copy`}
      </Button>
      <span role="status" className="visually-hidden">
        {isCopied && t`Copied`}
      </span>
    </>
  )
}

/** Without the permission to write to the clipboard, the text remains selectable. */
const selectNothing = () => {}
