import { Plural, useLingui } from '@lingui/react/macro'
import { useRef } from 'react'
import { useToast } from '../../../app/toasts.tsx'
import { Button } from '../../../ui/button.tsx'
import { icons } from '../../../ui/icons.tsx'
import styles from './dock.module.css'
import { useUploadList, useUploads } from './use-uploads.ts'

/** After a reload, browsers ask before a page reads files again, or the user chooses the files once more. */
export function NeededFiles() {
  const { t } = useLingui()
  const queue = useUploads()?.queue
  const toast = useToast()
  const input = useRef<HTMLInputElement>(null)
  const needed = useUploadList().filter(({ state }) => state === 'needs-file')
  if (!queue || needed.length === 0) return null
  const canBeAllowed = needed.some((upload) => upload.canBeAllowed)
  const provide = async (files: readonly File[]) => {
    const unknown = await queue.provide(files)
    if (unknown.length > 0) toast(t`Some of the files do not belong to an interrupted upload.`, { isProblem: true })
  }
  return (
    <div className={styles.needed} role="status">
      {icons.warning}
      <p>
        <Plural
          value={needed.length}
          one="# upload was interrupted. It continues where it stopped."
          other="# uploads were interrupted. They continue where they stopped."
        />
      </p>
      {canBeAllowed && (
        <Button size="small" look="primary" onClick={() => void queue.allowFiles()}>
          {t`Continue`}
        </Button>
      )}
      <Button size="small" onClick={() => input.current?.click()}>
        {t`Choose the files again`}
      </Button>
      <input
        ref={input}
        hidden
        type="file"
        multiple
        aria-label={t`Files of interrupted uploads`}
        onChange={({ currentTarget }) => {
          const files = [...(currentTarget.files ?? [])]
          currentTarget.value = ''
          void provide(files)
        }}
      />
    </div>
  )
}
