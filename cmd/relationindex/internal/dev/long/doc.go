// Package dev tests dev, demo and jobs as whole programs: each story starts a system of its own.
package dev
