import { useLingui } from '@lingui/react/macro'
import { SelectField } from '../../../ui/forms/select-field.tsx'

/** A choice of how long a replaced secret remains valid. */
export function OverlapField({ label, initial }: { readonly label: string; readonly initial: string }) {
  const { t } = useLingui()
  const options = [
    { value: '0', label: t`0 seconds (if it was leaked)` },
    { value: '3600', label: t`1 hour` },
    { value: '86400', label: t`1 day` },
    { value: '604800', label: t`7 days` },
  ]
  return <SelectField label={label} name="overlap" defaultValue={initial} options={options} />
}

export const overlapIn = (values: FormData) => Number(values.get('overlap'))
