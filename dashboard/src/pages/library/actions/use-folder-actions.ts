import { useLingui } from '@lingui/react/macro'
import { useQueryClient } from '@tanstack/react-query'
import type { Folder } from 'reelkeep'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { useProblemToast, useToast } from '../../../app/toasts.tsx'
import { resetAssets } from '../assets/asset-cache.ts'
import { foldersKey } from '../tree/folder-levels.ts'
import type { Destination } from './use-asset-actions.ts'

/** Moves and deletes folders, with an undo. */
export function useFolderActions() {
  const { t } = useLingui()
  const organization = useOrganization()
  const queryClient = useQueryClient()
  const toast = useToast()
  const showProblem = useProblemToast()
  const { folders } = organization.client

  const refresh = () => queryClient.invalidateQueries({ queryKey: foldersKey(organization) })

  /** Shows the result, or why it failed. */
  const run = async (action: () => Promise<{ text: string; undo?: () => Promise<unknown> }>): Promise<boolean> => {
    try {
      const { text, undo } = await action()
      await refresh()
      const runUndo = async () => {
        await undo?.()
        return { text: t`Undone.` }
      }
      const undoAction = undo && { label: t`Undo`, run: () => void run(runUndo) }
      toast(text, undoAction ? { action: undoAction } : {})
      return true
    } catch (error) {
      showProblem(error)
      return false
    }
  }

  return {
    refresh,
    move: ({ uuid, title }: Folder, to: Destination) =>
      run(async () => {
        const { parent } = await folders.read(uuid)
        await folders.move(uuid, { parent: to.uuid })
        const destination = to.title ?? t`the top level`
        return { text: t`${title} moved to ${destination}.`, undo: () => folders.move(uuid, { parent }) }
      }),
    moveToTrash: ({ uuid, title }: Folder) =>
      run(async () => {
        await folders.delete(uuid, { recursive: true })
        await resetAssets(queryClient, organization)
        const restore = async () => {
          await folders.restore(uuid)
          await resetAssets(queryClient, organization)
        }
        return { text: t`${title} moved to the trash.`, undo: restore }
      }),
  }
}
