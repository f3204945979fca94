import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { useQueryClient } from '@tanstack/react-query'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { useProblemToast, useToast } from '../../../app/toasts.tsx'
import { refreshAssets, resetAssets } from '../assets/asset-cache.ts'
import { type AssetTarget, byParent, countOf, type TargetAsset, withoutTag } from './asset-target.ts'
import { type AssetChange, type ChangeResult, changeAssets, listed } from './change-assets.ts'

/** A folder to move into. `uuid` null is the top level, whose title is null as well. */
export type Destination = { readonly uuid: string | null; readonly title: string | null }

type Texts = { readonly running: string; readonly done: (count: number) => string; readonly undone: string }
type Undo = (assets: readonly TargetAsset[]) => readonly (readonly [readonly TargetAsset[], AssetChange])[]

/** Actions on many videos. They show what they have done, with an undo. */
export function useAssetActions() {
  const { t } = useLingui()
  const run = useRun()

  return {
    move: (target: AssetTarget, { uuid, title }: Destination) => {
      const folder = title ?? t`All videos`
      return run(
        target,
        { action: 'move', folder: uuid },
        {
          running: t`Moving videos…`,
          done: (count) => t`${plural(count, { one: '# video', other: '# videos' })} moved to ${folder}.`,
          undone: t`Moved back.`,
        },
        (assets) => [...byParent(assets)].map(([parent, those]) => [those, { action: 'move', folder: parent }]),
      )
    },
    addTags: (target: AssetTarget, tags: readonly string[]) =>
      run(
        target,
        { action: 'add_tags', tags },
        {
          running: t`Adding tags…`,
          done: (count) => t`Tags added to ${plural(count, { one: '# video', other: '# videos' })}.`,
          undone: t`Tags removed again.`,
        },
        (assets) => tags.map((tag) => [withoutTag(assets, tag), { action: 'remove_tags', tags: [tag] }]),
      ),
    moveToTrash: (target: AssetTarget) =>
      run(
        target,
        { action: 'delete' },
        {
          running: t`Moving videos to the trash…`,
          done: (count) => t`${plural(count, { one: '# video', other: '# videos' })} moved to the trash.`,
          undone: t`Restored.`,
        },
        (assets) => [[assets, { action: 'restore' }]],
      ),
  }
}

function useRun() {
  const { t } = useLingui()
  const organization = useOrganization()
  const queryClient = useQueryClient()
  const toast = useToast()
  const showProblem = useProblemToast()

  const change = async (target: AssetTarget, what: AssetChange): Promise<ChangeResult> => {
    const result = await changeAssets(organization.client, target, what)
    if (target.kind === 'matching') await resetAssets(queryClient, organization)
    else
      await refreshAssets(
        queryClient,
        organization,
        target.assets.map(({ id }) => id),
      )
    return result
  }

  const undo = async (steps: ReturnType<Undo>, undone: string) => {
    try {
      for (const [assets, what] of steps) if (assets.length > 0) await change({ kind: 'listed', assets }, what)
      toast(undone)
    } catch (error) {
      showProblem(error)
    }
  }

  return async (given: AssetTarget, what: AssetChange, texts: Texts, undoOf: Undo): Promise<void> => {
    try {
      if ((countOf(given) ?? Number.POSITIVE_INFINITY) > LONG_FROM) toast(texts.running)
      const target = await listed(organization.client, given)
      const { done, failed, reason } = await change(target, what)
      const steps = target.kind === 'listed' ? undoOf(target.assets) : []
      const action = steps.length > 0 && { action: { label: t`Undo`, run: () => void undo(steps, texts.undone) } }
      if (done > 0) toast(texts.done(done), action || {})
      if (failed > 0) toast(failureText(failed, reason), { isProblem: true })
    } catch (error) {
      showProblem(error)
    }
  }

  function failureText(failed: number, reason: unknown): string {
    const why = reason instanceof Error ? reason.message : ''
    return t`${plural(failed, { one: '# video was not changed.', other: '# videos were not changed.' })} ${why}`
  }
}

/** An action on more videos than this is announced before it is done. */
const LONG_FROM = 50
