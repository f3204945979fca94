import { createContext, lazy, type ReactNode, Suspense, use, useCallback, useState } from 'react'
import { hasCode } from '../api/request.ts'
import { withTexts } from './texts/languages.ts'

type Run = <T>(action: () => Promise<T>) => Promise<T>

const RunContext = createContext<Run>((action) => action())

/**
 * Returns a function that runs an action. If the API requires a recent sign-in for it, the function asks the user to
 * sign in again and then repeats the action. If the user does not, it rejects with the error of the API.
 */
export const useConfirmed = () => use(RunContext)

const SignInAgainDialog = lazy(async () => {
  const { SignInAgainDialog } = await withTexts('entrance', import('../pages/account/sign-in-again-dialog.tsx'))
  return { default: SignInAgainDialog }
})

type Question = { readonly answer: (isConfirmed: boolean) => void }

export function ConfirmedActions({ children }: { readonly children: ReactNode }) {
  const [question, setQuestion] = useState<Question>()
  const run = useCallback<Run>(async (action) => {
    try {
      return await action()
    } catch (error) {
      if (!hasCode(error, 'recent_sign_in_required')) throw error
      const isConfirmed = await new Promise<boolean>((answer) => setQuestion({ answer }))
      setQuestion(undefined)
      if (!isConfirmed) throw error
      return action()
    }
  }, [])
  return (
    <RunContext value={run}>
      {children}
      {question && (
        <Suspense>
          <SignInAgainDialog onSignedIn={() => question.answer(true)} onClose={() => question.answer(false)} />
        </Suspense>
      )}
    </RunContext>
  )
}
