import { useLingui } from '@lingui/react/macro'
import { type ReactNode, useRef } from 'react'
import { useProblemToast } from '../../../../app/toasts.tsx'
import { Button } from '../../../../ui/button.tsx'
import { icons } from '../../../../ui/icons.tsx'
import styles from './adding.module.css'
import { droppedFiles, filesOfInput, hasPicker, type PickedFile, pickWithHandles } from './picked-files.ts'

type Kind = 'files' | 'folder'
type Props = { readonly onPick: (files: readonly PickedFile[]) => void; readonly children: ReactNode }

/** Lets the user drop or choose files. Files chosen with handles can be read again after a reload. */
export function FilePicker({ onPick, children }: Props) {
  const { t } = useLingui()
  const showProblem = useProblemToast()
  const inputs = { files: useRef<HTMLInputElement>(null), folder: useRef<HTMLInputElement>(null) }
  const pick = (kind: Kind) => {
    if (!hasPicker(kind)) return inputs[kind].current?.click()
    pickWithHandles(kind).then((files) => onPick(files ?? []), showProblem)
  }
  const input = (kind: Kind, label: string, more: object) => (
    <input
      {...more}
      ref={inputs[kind]}
      hidden
      type="file"
      multiple
      aria-label={label}
      onChange={({ currentTarget }) => {
        const files = filesOfInput(currentTarget.files)
        currentTarget.value = ''
        onPick(files)
      }}
    />
  )
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: The buttons do the same.
    <div
      className={styles.pick}
      onDrop={(event) => {
        // The page would add the files without the options of the dialog.
        event.preventDefault()
        event.nativeEvent.stopImmediatePropagation()
        droppedFiles(event.dataTransfer).then(onPick, showProblem)
      }}
    >
      <p>{children}</p>
      <div className={styles.pickButtons}>
        <Button autoFocus icon={icons.plus} onClick={() => pick('files')}>
          {t`Choose files`}
        </Button>
        <Button icon={icons.folder} onClick={() => pick('folder')}>
          {t`Choose a folder`}
        </Button>
      </div>
      {input('files', t`Files to upload`, { accept: 'video/*,.mkv,.mxf,.mts,.m2ts,.ts' })}
      {input('folder', t`Folder to upload`, { webkitdirectory: '' })}
    </div>
  )
}
