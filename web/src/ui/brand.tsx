import { Group, Text } from '@mantine/core'
import { createContext, use } from 'react'
import { Logo } from './logo.tsx'
import classes from './sheet.module.css'

/** Whose page it is; without a logo of their own it is ours. */
interface Brand {
  name: string
  logo: string | null
}

export const BrandContext = createContext<Brand | null>(null)

/** Above a page with a single task. */
export function BrandMark() {
  const brand = use(BrandContext)
  if (brand?.logo)
    return (
      <Group justify="center" mb="lg">
        <img src={brand.logo} alt={brand.name} className={classes.logo} />
      </Group>
    )
  return (
    <Group gap="sm" justify="center" mb="lg">
      <Logo size={36} />
      <Text fw={650} fz="xl" component="span">
        Gatehouse
      </Text>
    </Group>
  )
}
