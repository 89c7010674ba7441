import { createTheme } from '@mantine/core'

/** Blue of the sky at noon, kept quiet; neutrals lean the same way so that dark and light are one family. */
export const theme = createTheme({
  primaryColor: 'sky',
  primaryShade: { light: 7, dark: 5 },
  autoContrast: true,
  colors: {
    sky: ['#eef3ff', '#dbe5fb', '#b5c9f6', '#8cabf1', '#6a91ed', '#5580ea', '#4a77e9', '#2f5bd0', '#2b54bb', '#2049a4'],
    dark: [
      '#d5d9e2',
      '#a9b0bf',
      '#858d9e',
      '#5c6474',
      '#3b4250',
      '#2b313d',
      '#21262f',
      '#191d25',
      '#13161c',
      '#0d0f14',
    ],
    gray: [
      '#f7f8fa',
      '#eff1f5',
      '#e4e7ed',
      '#d5dae3',
      '#bcc3cf',
      '#98a1b0',
      '#757f90',
      '#586173',
      '#3a4251',
      '#1d222c',
    ],
  },
  defaultRadius: 'md',
  radius: { xs: '3px', sm: '5px', md: '8px', lg: '12px', xl: '20px' },
  fontFamily: 'Inter, ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace:
    'ui-monospace, "SF Mono", "Cascadia Mono", "JetBrains Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace',
  fontSizes: { xs: '12px', sm: '14px', md: '15px', lg: '17px', xl: '20px' },
  lineHeights: { xs: '1.4', sm: '1.45', md: '1.5', lg: '1.5', xl: '1.4' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '24px', lineHeight: '1.25' },
      h2: { fontSize: '20px', lineHeight: '1.3' },
      h3: { fontSize: '17px', lineHeight: '1.35' },
      h4: { fontSize: '16px', lineHeight: '1.4' },
      h5: { fontSize: '14px', lineHeight: '1.4' },
    },
  },
  components: {
    Tooltip: { defaultProps: { withArrow: true, openDelay: 250, transitionProps: { duration: 120 } } },
    Modal: {
      defaultProps: { centered: true, radius: 'lg', overlayProps: { backgroundOpacity: 0.45 } },
      styles: { title: { fontWeight: 600 } },
    },
    Drawer: { defaultProps: { overlayProps: { backgroundOpacity: 0.35 } }, styles: { title: { fontWeight: 600 } } },
  },
})
