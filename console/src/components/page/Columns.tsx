import type { ReactNode } from 'react'
import classes from './Columns.module.css'

/** A wide and a narrow column beside each other; one beneath the other where there is no room. */
export const Columns = ({ children }: { readonly children: ReactNode }) => (
  <div className={classes.columns}>{children}</div>
)

/** Panels one beneath the other. */
export const Column = ({ children }: { readonly children: ReactNode }) => (
  <div className={classes.column}>{children}</div>
)
