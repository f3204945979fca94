import { useLingui } from '@lingui/react/macro'
import { dateFormat } from '../../../app/texts/formats.ts'

/** Returns a function that formats a time to the second, in the user's language and time zone. */
export function useTimeText(): (time: string) => string {
  const { i18n } = useLingui()
  const format = dateFormat(i18n.locale, { dateStyle: 'medium', timeStyle: 'medium' })
  return (time) => format.format(new Date(time))
}
