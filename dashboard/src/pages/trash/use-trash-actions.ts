import { useLingui } from '@lingui/react/macro'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { Reelkeep } from 'reelkeep'
import { ApiProblem } from '../../api/request.ts'
import { useEvents } from '../../app/live/live.tsx'
import { useOrganization } from '../../app/organization/organization.tsx'
import { useProblemToast, useToast } from '../../app/toasts.tsx'
import { type TrashEntry, trashKey } from './trash-entries.ts'

export function useTrashActions() {
  const { t } = useLingui()
  const organization = useOrganization()
  const queryClient = useQueryClient()
  const toast = useToast()
  const showProblem = useProblemToast()
  const { client, can } = organization
  const { assets, folders } = client

  const run = async (action: () => Promise<unknown>, text: string): Promise<void> => {
    try {
      await action()
      toast(text)
    } catch (error) {
      showProblem(error)
    }
    await Promise.all([
      queryClient.invalidateQueries({ queryKey: trashKey(organization) }),
      queryClient.invalidateQueries({ queryKey: ['o', organization.id, 'folders'] }),
      queryClient.resetQueries({ queryKey: ['o', organization.id, 'assets'] }),
    ])
  }

  return {
    restore: ({ kind, id, title }: TrashEntry) =>
      run(() => (kind === 'folder' ? folders.restore(id) : assets.restore(id)), t`${title} was restored.`),
    deleteForever: ({ kind, id, title }: TrashEntry) =>
      run(
        () =>
          kind === 'folder'
            ? folders.delete(id, { recursive: true, permanently: true })
            : assets.delete(id, { permanently: true }),
        t`${title} was deleted forever.`,
      ),
    empty: () => run(() => emptyTrash(client, can('folders:write')), t`The trash is empty.`),
  }
}

const PAGE = 100

/** Deletes folders with what was deleted with them, then all videos. Fails if something is left, for example a hold. */
async function emptyTrash({ trash, folders, bulkOperations }: Reelkeep, withFolders: boolean): Promise<void> {
  const failures: unknown[] = []
  for await (const { folder } of trash.list({ limit: PAGE })) {
    if (!folder || !withFolders) continue
    await folders.delete(folder.uuid, { recursive: true, permanently: true }).catch((error) => failures.push(error))
  }
  const { id } = await bulkOperations.create({ action: 'purge', filter: {} })
  const { error, errors } = await bulkOperations.waitUntilFinished(id)
  const reason = error ?? errors[0]
  if (reason) throw new ApiProblem(409, reason)
  if (failures.length > 0) throw failures[0]
}

const EVENTS_MILLISECONDS = 300
const isAboutTrash = (type: string) => /^(asset|folder)\.(deleted|restored|purged)$/.test(type)

/** Reads the list again after others delete or restore. */
export function useTrashEvents(): void {
  const organization = useOrganization()
  const queryClient = useQueryClient()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEvents(({ type }) => {
    if (!isAboutTrash(type)) return
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      void queryClient.invalidateQueries({ queryKey: trashKey(organization) })
    }, EVENTS_MILLISECONDS)
  })
  useEffect(() => () => clearTimeout(timer.current), [])
}
