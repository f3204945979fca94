import { useLingui } from '@lingui/react/macro'
import { SelectField } from '../../../ui/forms/select-field.tsx'

const MILLISECONDS_PER_DAY = 86_400_000
const DEFAULT_DAYS = '90'

/** A choice of how long a token or key is valid. */
export function ExpiryField() {
  const { t } = useLingui()
  const options = [
    { value: '7', label: t`in 7 days` },
    { value: '30', label: t`in 30 days` },
    { value: DEFAULT_DAYS, label: t`in 90 days` },
    { value: '365', label: t`in one year` },
    { value: '', label: t`never` },
  ]
  return <SelectField label={t`Expires`} name="expires" defaultValue={DEFAULT_DAYS} options={options} />
}

/** The chosen time; null if it does not expire. */
export function expiryIn(values: FormData): string | null {
  const days = Number(values.get('expires'))
  return days === 0 ? null : new Date(Date.now() + days * MILLISECONDS_PER_DAY).toISOString()
}
