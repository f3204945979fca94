import { QueryClient, queryOptions } from '@tanstack/react-query'
import * as account from '../api/account.ts'
import { problemOf } from '../api/request.ts'

const RETRIES_MAX = 2

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      // A refusal stays a refusal. Only a request without a response, or one that a restarting server rejected, is
      // repeated.
      retry: (failures, error) => {
        const status = problemOf(error)?.status
        return failures < RETRIES_MAX && status !== undefined && (status === 0 || status >= 500)
      },
    },
  },
})

export const meQuery = queryOptions({ queryKey: ['me'], queryFn: account.readMe })
export const sessionsQuery = queryOptions({ queryKey: ['sessions'], queryFn: account.listSessions })
export const passkeysQuery = queryOptions({ queryKey: ['passkeys'], queryFn: account.listPasskeys })
export const signInQuery = queryOptions({ queryKey: ['sign-in'], queryFn: account.readSignInOptions })

export const invitationQuery = (token: string) =>
  queryOptions({ queryKey: ['invitation', token], queryFn: () => account.readInvitation(token) })
export const recoveryQuery = (token: string) =>
  queryOptions({ queryKey: ['recovery', token], queryFn: () => account.readRecovery(token) })
