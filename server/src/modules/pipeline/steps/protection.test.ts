import { expect, it } from 'vitest'
import { KeyProviderFailed } from '../../content-keys/content-keys.ts'
import { keyFailure } from './protection.ts'

const failed = (reason: KeyProviderFailed['reason']) =>
  new KeyProviderFailed(reason, 'The key provider says tenant-secret')

it('keys are requested again while attempts are left if the provider is unavailable or its response is invalid', () => {
  for (const reason of ['unavailable', 'unreadable'] as const) {
    const error = failed(reason)
    expect(keyFailure(error, false)).toBe(error)
    expect(keyFailure(error, true)).toMatchObject({
      name: 'UnusableFile',
      failure: { code: 'key_provider_failed' },
    })
  }
})

it.each(['missing', 'refused', 'other-keys'] as const)(
  'a failure that the operator has to fix is not retried: %s',
  (reason) => {
    const failure = keyFailure(failed(reason), false)
    expect(failure).toMatchObject({ failure: { code: 'key_provider_failed' } })
    // The provider's response belongs in the log only.
    expect(failure.message).not.toContain('tenant-secret')
    expect(failure.message).toMatch(/retry/i)
  },
)
