import { useLingui } from '@lingui/react/macro'
import { useMemo } from 'react'
import { useShortcuts } from '../../../app/keyboard/shortcuts.tsx'
import { Button } from '../../../ui/button.tsx'
import { icons } from '../../../ui/icons.tsx'
import { useUploads } from './use-uploads.ts'

type Props = {
  /** Folder that the page shows, null at the root. Without it, the dialog offers the folder of the last upload. */
  readonly folder?: string | null
}

/** Opens the upload dialog. Not shown if the user may not upload. */
export function UploadButton({ folder }: Props) {
  const { t } = useLingui()
  const uploads = useUploads()
  const openDialog = uploads?.openDialog
  useShortcuts(
    useMemo(
      () =>
        openDialog ? [{ keys: 'u', label: t`Upload videos`, group: t`Library`, run: () => openDialog(folder) }] : [],
      [openDialog, folder, t],
    ),
  )
  if (!openDialog) return null
  return (
    <Button look="primary" icon={icons.upload} onClick={() => openDialog(folder)}>
      {t`Upload`}
    </Button>
  )
}

/** The same in an empty list, where it says what to do next. The button of the page has the shortcut. */
export function ChooseVideosButton({ folder }: Props) {
  const { t } = useLingui()
  const openDialog = useUploads()?.openDialog
  if (!openDialog) return null
  return (
    <Button icon={icons.upload} onClick={() => openDialog(folder)}>
      {t`Choose videos`}
    </Button>
  )
}
