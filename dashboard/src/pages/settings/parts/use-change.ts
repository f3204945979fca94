import { useMutation } from '@tanstack/react-query'
import { useConfirmed } from '../../../app/confirmed-actions.tsx'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { queryClient } from '../../../app/queries.ts'
import { useProblemToast, useToast } from '../../../app/toasts.tsx'

type Options<Input, Output> = {
  readonly run: (input: Input) => PromiseLike<Output>
  /** Names of the lists that are read again, such as `members`. */
  readonly refreshes: readonly string[]
  readonly onDone?: (output: Output, input: Input) => void
  /** Message after success. */
  readonly doneText?: string
  /** A dialog shows the error itself. */
  readonly isInDialog?: boolean
}

/** A change of a setting. If the API requires a recent sign-in, asks for it and repeats the change. */
export function useChange<Input = void, Output = unknown>(options: Options<Input, Output>) {
  const { id } = useOrganization()
  const confirmed = useConfirmed()
  const toast = useToast()
  const showProblem = useProblemToast()
  const { run, refreshes, onDone, doneText, isInDialog = false } = options
  return useMutation({
    mutationFn: (input: Input) => confirmed(async () => run(input)),
    onSuccess: (output, input) => {
      for (const name of refreshes) void queryClient.invalidateQueries({ queryKey: ['o', id, name] })
      if (doneText !== undefined) toast(doneText)
      onDone?.(output, input)
    },
    ...(!isInDialog && { onError: showProblem }),
  })
}
