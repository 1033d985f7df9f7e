import { encode } from 'uqr'

/** Dark on light in both colour schemes: not every camera reads the inverse. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: 2 })
  const path = data
    .flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('')
  return (
    <svg viewBox={`0 0 ${size} ${size}`} width={196} height={196} role="img" aria-label={label}>
      <rect width={size} height={size} rx={2} fill="#fff" />
      <path d={path} fill="#101828" shapeRendering="crispEdges" />
    </svg>
  )
}
