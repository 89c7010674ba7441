// Applies the stored colour scheme before the first paint; the key is the one Mantine uses.
{
  const stored = localStorage.getItem('mantine-color-scheme-value')
  const dark = stored === 'dark' || (stored !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.mantineColorScheme = dark ? 'dark' : 'light'
}
