import { useLingui } from '@lingui/react/macro'
import { useSearch } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useState } from 'react'
import { icons } from '../../../ui/icons.tsx'
import { droppedFiles } from './adding/picked-files.ts'
import styles from './drop-area.module.css'
import { useUploads } from './use-uploads.ts'

const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') === true

/** The folder that the page shows. */
function useShownFolder(): string | null {
  const { folder } = useSearch({ strict: false }) as { readonly folder?: string }
  return folder ?? null
}

/** Accepts files that are dropped anywhere on the page. */
export function DropArea() {
  const { t } = useLingui()
  const uploads = useUploads()
  const folder = useShownFolder()
  const [isOver, setIsOver] = useState(false)
  const drop = useEffectEvent(async (data: DataTransfer) => {
    const files = await droppedFiles(data)
    if (files.length > 0) await uploads?.addFiles(files, folder)
  })
  useEffect(() => {
    // Elements below the pointer change all the time: a counter detects when the pointer leaves the page.
    let depth = 0
    const show = (change: number) => {
      depth = Math.max(0, depth + change)
      setIsOver(depth > 0)
    }
    const listeners = {
      dragenter: (event: DragEvent) => hasFiles(event) && show(1),
      dragleave: (event: DragEvent) => hasFiles(event) && show(-1),
      dragover: (event: DragEvent) => {
        if (!hasFiles(event)) return
        event.preventDefault()
        if (event.dataTransfer) event.dataTransfer.dropEffect = 'copy'
      },
      drop: (event: DragEvent) => {
        if (!hasFiles(event)) return
        event.preventDefault()
        show(-depth)
        if (event.dataTransfer) void drop(event.dataTransfer)
      },
    }
    const added = Object.entries(listeners) as [keyof typeof listeners, (event: DragEvent) => void][]
    for (const [type, listener] of added) document.addEventListener(type, listener)
    return () => {
      for (const [type, listener] of added) document.removeEventListener(type, listener)
    }
  }, [])
  if (!isOver) return null
  return (
    <div className={styles.overlay} role="status">
      <div className={styles.message}>
        {icons.upload}
        <p>{t`Drop videos or folders to upload them`}</p>
      </div>
    </div>
  )
}
