import { randomUUID } from 'node:crypto'
import { createAccount, hashNewPassword } from '@reelkeep/server/modules/sign-in/accounts/accounts.ts'
import { PasswordHasher } from '@reelkeep/server/modules/sign-in/passwords/password-hashing.ts'
import type { TestApi } from '../test-api.ts'
import { TestBrowser } from './test-browser.ts'

/** Settings with which a password is hashed in a fraction of a millisecond. */
export const fastHashing = { SIGN_IN_HASH_MEMORY_KIB: '8', SIGN_IN_HASH_PASSES: '1' }

const hasher = new PasswordHasher({ memoryKib: 8, passes: 1, concurrency: 4 })

export type LocalAccount = { readonly id: string; readonly email: string; readonly password: string }

/** Creates an account with a password. */
export async function newAccount(testApi: TestApi, given: { name?: string } = {}): Promise<LocalAccount> {
  const email = `${randomUUID()}@example.org`
  const password = `correct horse ${randomUUID()}`
  const passwordHash = await hashNewPassword(hasher, { password, email, network: 'test' })
  const id = await createAccount(testApi.context.database, { email, name: given.name ?? 'Ada', passwordHash })
  return { id, email, password }
}

/** A browser with an address of its own. The API must trust one proxy. */
export function newBrowser(testApi: TestApi, address = randomAddress()): TestBrowser {
  const { origin } = new URL(testApi.context.config.PUBLIC_URL)
  return new TestBrowser(testApi.send, origin, { 'x-forwarded-for': address })
}

const byte = () => 1 + Math.floor(Math.random() * 250)
const randomAddress = () => `10.${byte()}.${byte()}.${byte()}`
