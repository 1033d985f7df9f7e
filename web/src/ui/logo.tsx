interface Props {
  size?: number
}

/** The gate, as in the favicon. */
export const Logo = ({ size = 32 }: Props) => (
  <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="8" fill="var(--mantine-color-indigo-8)" />
    <path d="M7 25V14a9 9 0 0 1 18 0v11h-4.5V14a4.5 4.5 0 0 0-9 0v11Z" fill="#fff" />
    <circle cx="16" cy="19" r="1.8" fill="#fff" />
  </svg>
)
