import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { useId, useState } from 'react'
import { useOrganization } from '../../../../app/organization/organization.tsx'
import { Button } from '../../../../ui/button.tsx'
import { Dialog } from '../../../../ui/dialog.tsx'
import { bytesText } from '../rows/amounts.ts'
import { useUploads } from '../use-uploads.ts'
import styles from './adding.module.css'
import { readDefaults, saveDefaults, type UploadDefaults } from './defaults.ts'
import { FilePicker } from './file-picker.tsx'
import { FolderSelect } from './folder-select.tsx'
import { OptionFields } from './option-fields.tsx'
import type { PickedFile } from './picked-files.ts'

type Props = {
  /** Folder in which the user is, or null at the root. Undefined to use the folder of the last upload. */
  readonly folder: string | null | undefined
  readonly onClose: () => void
}

/** The user chooses files and options. The options are remembered, also for files that are dropped. */
export function UploadDialog({ folder: shownFolder, onClose }: Props) {
  const { t } = useLingui()
  const organization = useOrganization()
  const uploads = useUploads()
  const problemId = useId()
  const [files, setFiles] = useState<readonly PickedFile[]>([])
  const [options, setOptions] = useState(() => readDefaults(organization))
  const [folder, setFolder] = useState(shownFolder === undefined ? options.folder : shownFolder)
  const [problem, setProblem] = useState<'files' | 'resolutions'>()
  const submit = () => {
    if (files.length === 0) return setProblem('files')
    if (options.resolutions.length === 0) return setProblem('resolutions')
    const chosen: UploadDefaults = { ...options, folder }
    saveDefaults(organization.id, chosen)
    void uploads?.addFiles(files, folder, chosen)
    onClose()
  }
  return (
    <Dialog title={t`Upload videos`} onClose={onClose}>
      <FilePicker onPick={(picked) => setFiles([...files, ...picked])}>
        <Chosen files={files} />
      </FilePicker>
      <FolderSelect folder={folder} onChange={setFolder} />
      <OptionFields options={options} onChange={setOptions} />
      <p id={problemId} className={styles.error} role="alert">
        {problem === 'files' && files.length === 0 && t`Choose at least one file.`}
        {problem === 'resolutions' && options.resolutions.length === 0 && t`Choose at least one resolution.`}
      </p>
      <div className={styles.buttons}>
        <Button onClick={onClose}>{t`Cancel`}</Button>
        <Button look="primary" aria-describedby={problemId} onClick={submit}>
          {files.length === 0
            ? t`Upload`
            : t`${plural(files.length, { one: 'Upload # file', other: 'Upload # files' })}`}
        </Button>
      </div>
    </Dialog>
  )
}

const NAMES_MAX = 3

function Chosen({ files }: { readonly files: readonly PickedFile[] }) {
  const { t, i18n } = useLingui()
  if (files.length === 0) return t`Drop videos or folders here, or choose them.`
  const size = bytesText(
    files.reduce((sum, { file }) => sum + file.size, 0),
    i18n.locale,
  )
  const names = files.slice(0, NAMES_MAX).map(({ file }) => file.name)
  const count = t`${plural(files.length, { one: '# file', other: '# files' })}`
  return `${count}, ${size}: ${names.join(', ')}${files.length > NAMES_MAX ? ' …' : ''}`
}
