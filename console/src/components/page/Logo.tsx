/** A body on its orbit: observe, decide, act, record, and around again. */
export function Logo({ size }: { readonly size: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" fill="none" aria-hidden>
      <rect width="32" height="32" rx="8" fill="var(--mantine-color-sky-7)" />
      <path d="M22.6 11.2a8 8 0 1 0 0 9.6" stroke="#fff" strokeWidth="2.6" strokeLinecap="round" />
      <circle cx="16" cy="16" r="2.4" fill="#fff" />
      <circle cx="24.4" cy="16" r="1.9" fill="#9cc2ff" />
    </svg>
  )
}
