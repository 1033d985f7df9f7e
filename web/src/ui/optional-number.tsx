import { NumberInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'

interface Props {
  label: string
  description: string
  min: number
  max: number
  /** Digits after the point. */
  decimals?: number
  value: number | null | undefined
  onChange: (value: number | null) => void
  readOnly?: boolean
  error?: ReactNode
}

const numberOf = (typed: number | string) => (typed === '' ? null : Number(typed))

/** A number that may be left out. */
export function OptionalNumber({
  decimals = 0,
  value,
  onChange,
  readOnly = false,
  ...input
}: Props) {
  // As typed: "0." on the way to "0.5" is the number 0.
  const [typed, setTyped] = useState<number | string>('')
  const stands = numberOf(typed) === (value ?? null)
  return (
    <NumberInput
      size="sm"
      decimalScale={decimals}
      readOnly={readOnly}
      value={stands ? typed : (value ?? '')}
      onChange={(next) => {
        setTyped(next)
        onChange(numberOf(next))
      }}
      {...input}
    />
  )
}
