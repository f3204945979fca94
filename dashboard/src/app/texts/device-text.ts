import { useLingui } from '@lingui/react/macro'
import { deviceOf } from './devices.ts'

/** Returns a function that names the device of a user agent, for example "Chrome on Linux". */
export function useDeviceText(): (userAgent: string | null) => string {
  const { t } = useLingui()
  return (userAgent) => {
    const { browser, system } = deviceOf(userAgent ?? '')
    if (browser && system) return t`${browser} on ${system}`
    return browser ?? system ?? t`Unknown device`
  }
}
