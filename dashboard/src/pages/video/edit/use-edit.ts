import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { UpdateAssetBody } from 'reelkeep'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { queryClient } from '../../../app/queries.ts'
import { useProblemToast } from '../../../app/toasts.tsx'
import { useVideo } from '../video-context.tsx'
import { partKey, type VideoAsset } from '../video-data.ts'
import { EditConflict, saveChanges, saveMerged } from './save-changes.ts'

/** Puts the answer of a change into the cache, so that the page shows it at once. */
function useStoreAsset(): (asset: VideoAsset) => void {
  const { id: organization } = useOrganization()
  return (asset) => queryClient.setQueryData(partKey(organization, asset.id, 'asset'), asset)
}

/** The edit of one field: from its start to the successful save, with the conflict in between if there is one. */
export function useEdit(onSaved: () => void = () => {}) {
  const { client } = useOrganization()
  const { asset } = useVideo()
  const store = useStoreAsset()
  const [base, setBase] = useState<VideoAsset>()
  const save = useMutation({
    mutationFn: ({ from, changes }: { readonly from: VideoAsset; readonly changes: UpdateAssetBody }) =>
      saveChanges(client, from, changes),
    onSuccess: (saved) => {
      store(saved)
      setBase(undefined)
      onSaved()
    },
  })
  const conflict = save.error instanceof EditConflict ? save.error.latest : undefined
  return {
    isEditing: base !== undefined,
    isSaving: save.isPending,
    /** The state that another change has saved. */
    conflict,
    problem: conflict ? null : save.error,
    start: () => {
      save.reset()
      setBase(asset)
    },
    /** Saves the changes, in spite of a conflict that was shown. */
    save: (changes: UpdateAssetBody) => save.mutate({ from: conflict ?? base ?? asset, changes }),
    cancel: () => {
      if (conflict) store(conflict)
      save.reset()
      setBase(undefined)
    },
  }
}

/** Saves a change that needs no form and cannot conflict. */
export function useMergedSave() {
  const { client } = useOrganization()
  const { asset } = useVideo()
  const store = useStoreAsset()
  return useMutation({
    mutationFn: (change: (asset: VideoAsset) => UpdateAssetBody) => saveMerged(client, asset, change),
    onSuccess: store,
    onError: useProblemToast(),
  })
}
