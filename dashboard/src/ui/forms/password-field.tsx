import { useLingui } from '@lingui/react/macro'
import { type ComponentProps, type KeyboardEvent, useState } from 'react'
import { IconButton } from '../button.tsx'
import { icons } from '../icons.tsx'
import { type FieldProps, TextField } from './text-field.tsx'

type Props = FieldProps & Omit<ComponentProps<'input'>, 'type' | 'onKeyDown' | 'onKeyUp'>

/** Can show what was typed, and warns of Caps Lock in the line of the hint. */
export function PasswordField({ hint, ...rest }: Props) {
  const { t } = useLingui()
  const [isShown, setShown] = useState(false)
  const [hasCapsLock, setCapsLock] = useState(false)
  const check = (event: KeyboardEvent) => setCapsLock(event.getModifierState('CapsLock'))
  const warning = (
    <span role="status">
      {icons.capsLock} {t`Caps Lock is on.`}
    </span>
  )
  return (
    <TextField
      {...rest}
      type={isShown ? 'text' : 'password'}
      autoCapitalize="off"
      spellCheck={false}
      hint={hasCapsLock ? warning : hint}
      onKeyDown={check}
      onKeyUp={check}
      onBlur={() => setCapsLock(false)}
      end={
        <IconButton
          label={isShown ? t`Hide password` : t`Show password`}
          aria-pressed={isShown}
          icon={isShown ? icons.eyeOff : icons.eye}
          onClick={() => setShown(!isShown)}
        />
      }
    />
  )
}
