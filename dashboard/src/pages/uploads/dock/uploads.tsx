import { lazy, type ReactNode, Suspense, useCallback, useState } from 'react'
import { useMaybeOrganization } from '../../../app/organization/organization.tsx'
import { useAddFiles } from './adding/use-add-files.tsx'
import { Dock } from './dock.tsx'
import { DropArea } from './drop-area.tsx'
import { useQueue } from './use-queue.ts'
import { UploadsContext } from './use-uploads.ts'

const UploadDialog = lazy(async () => ({ default: (await import('./adding/upload-dialog.tsx')).UploadDialog }))

/** Provides the user's upload queue in the organization to all pages (`useUploads`), and shows its uploads. */
export function Uploads({ children }: { readonly children: ReactNode }) {
  const queue = useQueue(useMaybeOrganization())
  const [dialog, setDialog] = useState<{ readonly folder: string | null | undefined }>()
  const openDialog = useCallback((folder?: string | null) => setDialog({ folder }), [])
  const { addFiles, preparing, question } = useAddFiles(queue)
  return (
    <UploadsContext value={queue && { queue, addFiles, openDialog }}>
      {children}
      {queue && (
        <>
          <DropArea />
          <Dock preparing={preparing} />
          {question}
          <Suspense>{dialog && <UploadDialog folder={dialog.folder} onClose={() => setDialog(undefined)} />}</Suspense>
        </>
      )}
    </UploadsContext>
  )
}
