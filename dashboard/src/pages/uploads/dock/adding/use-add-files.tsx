import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { titleOf } from 'reelkeep'
import type { UploadQueue } from 'reelkeep/queue'
import { useOrganization } from '../../../../app/organization/organization.tsx'
import { useProblemToast, useToast } from '../../../../app/toasts.tsx'
import { inputOf, readDefaults, type UploadDefaults } from './defaults.ts'
import { duplicatesIn } from './duplicates.ts'
import type { Duplicate } from './duplicates-dialog.tsx'
import { folderFinder } from './folder-tree.ts'
import type { PickedFile } from './picked-files.ts'
import { mayBeVideo } from './video-files.ts'

const DuplicatesDialog = lazy(async () => ({ default: (await import('./duplicates-dialog.tsx')).DuplicatesDialog }))

type Choice = 'all' | 'skip' | 'cancel'

type Question = {
  readonly files: readonly Duplicate[]
  readonly total: number
  readonly answer: (choice: Choice) => void
}

/** Returns a function that adds files to the queue, the number of files in preparation, and the question it asks. */
export function useAddFiles(queue: UploadQueue | undefined) {
  const { t } = useLingui()
  const organization = useOrganization()
  const { client, can } = organization
  const toast = useToast()
  const showProblem = useProblemToast()
  const [preparing, setPreparing] = useState(0)
  const [question, setQuestion] = useState<Question>()

  const withoutDuplicates = async (opened: UploadQueue, files: readonly PickedFile[], folder: string | null) => {
    const duplicates = await duplicatesIn(files, { client, queue: opened, folder })
    if (duplicates.size === 0) return files
    const asked = [...duplicates].map(([{ file }, earlier]) => ({ name: file.name, earlier }))
    const choice = await new Promise<Choice>((answer) => setQuestion({ files: asked, total: files.length, answer }))
    setQuestion(undefined)
    if (choice === 'cancel') return []
    return choice === 'all' ? files : files.filter((file) => !duplicates.has(file))
  }

  const add = async (videos: readonly PickedFile[], folder: string | null, chosen?: UploadDefaults) => {
    if (!queue) return
    const options = chosen ?? readDefaults(organization)
    const files = await withoutDuplicates(queue, videos, folder)
    const folderFor = can('folders:create') ? folderFinder(client.folders, folder, titleOf) : async () => folder
    const uploads = files.map(async ({ file, handle, folders }) => ({
      ...{ file, handle },
      input: { ...inputOf(options), folder: await folderFor(folders) },
    }))
    await queue.add(await Promise.all(uploads))
  }

  const addFiles = async (picked: readonly PickedFile[], folder: string | null, options?: UploadDefaults) => {
    const videos = picked.filter(({ file }) => mayBeVideo(file))
    const skipped = picked.length - videos.length
    if (skipped > 0)
      toast(
        t`${plural(skipped, { one: '# file was skipped: it is not a video.', other: '# files were skipped: they are not videos.' })}`,
      )
    setPreparing((count) => count + videos.length)
    await add(videos, folder, options).catch(showProblem)
    setPreparing((count) => count - videos.length)
  }
  return { addFiles, preparing, question: question && <DuplicatesQuestion question={question} /> }
}

const DuplicatesQuestion = ({ question: { files, total, answer } }: { readonly question: Question }): ReactNode => (
  <Suspense>
    <DuplicatesDialog files={files} total={total} onAnswer={answer} />
  </Suspense>
)
